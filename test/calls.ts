import type { Fault, Simulator } from "../src/simulator/index.js";

/** Returns the requests since the last time, such as `create Orders`, `delete 1` or `update 1 -> 500`. */
export function takeCalls(api: Simulator): string[] {
  const calls = api.calls.map(({ operation, body, status }) => {
    const { name, webhook_id } = Object(body);
    const subject = operation === "create" ? name : webhook_id;
    return `${operation} ${subject}${status !== undefined && status < 300 ? "" : ` -> ${status ?? "no reply"}`}`;
  });
  api.clearCalls();
  return calls;
}

/** Makes the next creates meet a fault. The promise resolves when the API has received them. */
export function receiveCreates(api: Simulator, fault: Fault, creates = 1): Promise<void> {
  let missing = creates;
  return new Promise((resolve) => {
    const match = () => {
      missing--;
      if (missing === 0) resolve();
      return true;
    };
    api.inject({ operation: "create", times: creates, match, fault });
  });
}
