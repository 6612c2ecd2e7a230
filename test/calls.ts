import type { Simulator } from "../src/simulator/index.js";

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
