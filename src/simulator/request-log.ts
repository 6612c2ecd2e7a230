/**
 * One request and its outcome. The last fields change until the request ends. It contains neither the key nor a secret:
 * you can print it.
 */
export interface Call {
  /** When the request's headers arrived: ISO 8601 in UTC by this machine's clock, without `clockSkewSeconds`. */
  readonly at: string;
  /** The operation that the method and path name; `"unknown"` for any other method or path. */
  readonly operation: "create" | "update" | "delete" | "unknown";
  /** The HTTP method. */
  readonly method: string;
  /** The path with the simulator's prefix, without a query. */
  readonly path: string;
  /** The Content-Type header, if there was one. */
  readonly contentType: string | undefined;
  /** Whether the request carried the simulator's key as a bearer credential. */
  readonly authorized: boolean;
  /**
   * The parsed JSON, with `"[secret]"` for the value of `secret` at any depth and wherever that value is repeated, and
   * `"[key]"` for the simulator's key. Undefined if the body is not JSON, or has not been read.
   */
  readonly body: unknown;
  /** The fault that a rule applied to this request: its kind and detail, such as `"reset after commit"`. */
  readonly fault?: string;
  /** Whether the operation took effect. */
  readonly committed: boolean;
  /** The status of the reply; undefined until it is sent, and for good if none is. */
  readonly status: number | undefined;
}

/** A logged request that may still change. */
export type LogEntry = { -readonly [Field in keyof Call]: Call[Field] };

/** The requests, oldest first: all of them, or the last ones. */
export class RequestLog {
  readonly entries: LogEntry[] = [];
  onEnd: ((entry: Call) => void) | undefined;
  /** How many entries were dropped before the first of `entries`: with it, each entry has a number that stays. */
  dropped = 0;
  readonly #open = new Set<LogEntry>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  begin(entry: LogEntry): void {
    this.entries.push(entry);
    this.#open.add(entry);
    if (this.entries.length > this.#limit) this.#drop(this.entries.length - this.#limit);
  }

  end(entry: LogEntry): void {
    this.#open.delete(entry);
    this.onEnd?.(entry);
  }

  isOpen(entry: LogEntry): boolean {
    return this.#open.has(entry);
  }

  clear(): void {
    this.#drop(this.entries.length);
  }

  #drop(count: number): void {
    this.entries.splice(0, count);
    this.dropped += count;
  }
}
