import { STATUS_CODES } from "node:http";

/** One request and its outcome. The last fields change until the request ends. */
export interface Call {
  /** Counts the requests since the start, from 1. */
  readonly number: number;
  /** When the request's headers arrived: ISO 8601 in UTC by this machine's clock, without `clockSkewSeconds`. */
  readonly at: string;
  /** The operation that the method and path name; `"unknown"` for any other method or path. */
  readonly operation: "create" | "update" | "delete" | "unknown";
  /** The HTTP method. */
  readonly method: string;
  /** The path with the simulator's prefix, without a query. */
  readonly path: string;
  /** Whether the request carried the simulator's key as a bearer credential. */
  readonly authorized: boolean;
  /** The JSON that was sent, with `"[secret]"` for its field `secret`. Undefined if it is not JSON, or has not been read. */
  readonly body: unknown;
  /** The fault that a rule applied to this request: its kind and detail, such as `"reset after commit"`. */
  readonly fault?: string;
  /** Whether the operation took effect. */
  readonly committed: boolean;
  /** The status of the reply; undefined until it is sent, and for good if none is. */
  readonly status: number | undefined;
  /** The body of the reply, with `"[secret]"` for a field `secret`; undefined until it is sent, and after a fault, whose text may hold any. */
  readonly reply?: string;
  /** How long it took; undefined until the request ends. */
  readonly milliseconds?: number;
}

/** A logged request that may still change. */
export type LogEntry = { -readonly [Field in keyof Call]: Call[Field] };

/** Hides the field `secret` of a body. */
export function hideSecret(body: unknown): unknown {
  return typeof body === "object" && body !== null && "secret" in body
    ? { ...body, secret: "[secret]" }
    : body;
}

/** Hides each field `secret` in the JSON of a reply. */
export function hideSecrets(json: string): string {
  return json.replaceAll(/"secret":"(?:[^"\\]|\\.)*"/g, '"secret":"[secret]"');
}

/** Describes a call that has ended, for people. A probe is an update that changes no field. */
export function describeCall({ operation, method, path, body, status, fault, committed }: Call) {
  const isProbe = operation === "update" && Object.keys(body ?? {}).join() === "webhook_id";
  return {
    title: operation === "unknown" ? `${method} ${path}` : isProbe ? "update (probe)" : operation,
    outcome: status === undefined ? "no reply" : [status, STATUS_CODES[status]].join(" ").trim(),
    fault: fault && `${fault} (${committed ? "took effect" : "no effect"})`,
  };
}
