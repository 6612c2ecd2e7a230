/** The three operations of the API, by path, and `"unknown"` for any other path or method. */
export type Operation = "create" | "update" | "delete" | "unknown";

/**
 * One request that came in, and what became of it. The last fields are filled in as it goes on. It holds neither the
 * key nor a secret, so it may be printed.
 */
export interface Call {
  /** When the request's head came in: ISO 8601 in UTC by this machine's clock, without `clockSkewSeconds`. */
  readonly at: string;
  /** Which operation the method and path name. */
  readonly operation: Operation;
  /** The HTTP method. */
  readonly method: string;
  /** The path with the simulator's prefix, without a query. */
  readonly path: string;
  /** The Content-Type header, when there was one. */
  readonly contentType: string | undefined;
  /** Whether the request carried the simulator's key as a bearer credential. */
  readonly authorized: boolean;
  /**
   * The parsed JSON, with `"[secret]"` for the value of `secret` at any depth and wherever that value is repeated, and
   * `"[key]"` for the simulator's key. Undefined when the body is not JSON, or not read (yet).
   */
  readonly body: unknown;
  /** The fault that a rule did to this call, for a reader: its kind and detail, such as `"reset after commit"`. */
  readonly fault?: string;
  /** Whether the operation took effect. */
  readonly committed: boolean;
  /** The status of the reply; undefined while none was sent, for good when none ever was. */
  readonly status: number | undefined;
}

/** A call that is still going on. */
export type OpenCall = { -readonly [Field in keyof Call]: Call[Field] };

/** The calls, oldest first: all of them, or the last ones. */
export class CallLog {
  readonly calls: OpenCall[] = [];
  onCall: ((call: Call) => void) | undefined;
  /** How many calls came in before the first of `calls`: with it, each has a number that stays. */
  forgotten = 0;
  private readonly open = new Set<OpenCall>();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  begin(call: OpenCall): OpenCall {
    this.calls.push(call);
    this.open.add(call);
    if (this.calls.length > this.most) this.forget(this.calls.length - this.most);
    return call;
  }

  end(call: OpenCall): void {
    this.open.delete(call);
    this.onCall?.(call);
  }

  isOpen(call: OpenCall): boolean {
    return this.open.has(call);
  }

  clear(): void {
    this.forget(this.calls.length);
  }

  private forget(count: number): void {
    this.calls.splice(0, count);
    this.forgotten += count;
  }
}
