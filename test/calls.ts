import type { Fault, FaultRule, Simulator } from "../simulator/src/index.js";

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

interface Awaited {
  /** Default: creates. */
  operation?: FaultRule["operation"];
  fault: Fault;
  /** Which requests. Default: all. */
  match?: FaultRule["match"];
  /** How many requests to wait for. Default: one. */
  count?: number | undefined;
}

/** Makes the next requests of an operation meet a fault. The promise resolves when the API has received them. */
export function receive(api: Simulator, { operation = "create", fault, match, count = 1 }: Awaited) {
  let missing = count;
  return new Promise<void>((resolve) => {
    const isNext: FaultRule["match"] = (call) => {
      if (match?.(call) === false) return false;
      missing--;
      if (missing === 0) resolve();
      return true;
    };
    api.inject({ operation, times: count, match: isNext, fault });
  });
}

/** Matches the requests that send a webhook's name or id. */
export function isAbout(webhook: string): NonNullable<FaultRule["match"]> {
  return ({ body }) => [Object(body).name, Object(body).webhook_id].includes(webhook);
}

/** Returns the id of the newest webhook with a name, as a person finds it in the dashboard. */
export function idOf({ webhooks }: Pick<Simulator, "webhooks">, name: string): string {
  const found = webhooks.findLast((webhook) => webhook.name === name);
  if (found === undefined) throw new Error(`The API has no webhook ${name}.`);
  return found.id;
}
