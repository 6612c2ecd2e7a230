import type { Behavior } from "./behavior.js";
import { parseBehavior } from "./behavior.js";
import type { FaultRule } from "./fault.js";
import { FaultRules } from "./fault-rules.js";
import { COUNT, checkFields, type Fields, number, optional, text } from "./field.js";
import { Api } from "./operations.js";
import { type Redact, redactorOf } from "./redact.js";
import type { Call, LogEntry } from "./request-log.js";
import type { Dashboard, Simulator, SimulatorOptions } from "./simulator.js";
import { State } from "./webhook-store.js";

/** A simulator without its server: what programs, requests to the API, the control API and the page read and change. */
export class Simulation implements Omit<Simulator, "url" | "pageUrl" | "controlUrl" | "close"> {
  apiKey: string;
  behavior: Behavior;
  readonly state: State;
  /** Whether a change is in progress, at an API that accepts one at a time. */
  isChanging = false;
  readonly calls: LogEntry[] = [];
  readonly faults = new FaultRules();
  api = new Api(this);
  /** The prefix of the API's paths: empty, or with a leading and without a trailing slash. */
  readonly path: string;
  /** Aborted when the simulator closes. */
  readonly closing = new AbortController();
  onCall: ((call: Call) => void) | undefined;
  readonly dashboard: Dashboard = {
    create: (fields) => this.state.create(fields, this.behavior),
    edit: (id, fields) => this.state.edit(id, fields, this.behavior),
    delete: (id) => this.state.delete(id),
  };
  readonly #initialBehavior: Behavior;
  readonly #initialKey: string;
  readonly #maxCalls: number;
  #callCount = 0;

  /** @throws RangeError for an invalid option. */
  constructor(options: SimulatorOptions) {
    checkFields(OPTIONS, options);
    const { apiKey = "simulator-key", path = "", behavior = {}, file, maxCalls = Infinity } = options;
    this.apiKey = this.#initialKey = apiKey;
    this.state = new State(file);
    this.behavior = parseBehavior(behavior);
    this.#initialBehavior = structuredClone(this.behavior);
    this.path = path.replace(/\/$/, "");
    this.#maxCalls = maxCalls;
  }

  get webhooks() {
    return this.state.list();
  }

  /** Returns a function that redacts the key, and the secrets of the webhooks and of a request. */
  redactorOf(sent?: unknown): Redact {
    const { webhooks } = this;
    const redact = redactorOf(this.apiKey, sent, ...webhooks.map(({ secret }) => secret));
    const ids = new Set(webhooks.map(({ id }) => id)); // A secret may be as short.
    return (text) => (ids.has(text) ? text : redact(text));
  }

  /** Lists a request, and drops those before the last `maxCalls`. */
  log(request: Omit<Call, "number">): LogEntry {
    const call = { number: ++this.#callCount, ...request };
    this.calls.push(call);
    this.calls.splice(0, this.calls.length - this.#maxCalls);
    return call;
  }

  inject = (rule: string | FaultRule): void => void this.faults.inject(rule);
  clearFaults = (): void => this.faults.clear();
  clearCalls = (): void => void this.calls.splice(0);

  /** Sets the key as a text from outside. @throws RangeError for one that no request can carry. */
  setKey(apiKey: string): void {
    checkFields(OPTIONS, { apiKey });
    this.apiKey = apiKey;
  }

  /** Goes back to the start: its key, no webhooks, requests and faults. Tests can share a simulator. */
  reset(): void {
    this.state.clear();
    this.api = new Api(this);
    this.apiKey = this.#initialKey;
    this.clearCalls();
    this.clearFaults();
    this.behavior = structuredClone(this.#initialBehavior);
  }
}

const OPTIONS: { readonly [Key in keyof SimulatorOptions]-?: Fields[string] } = {
  port: optional(
    number("a whole number from 0 to 65535", (port) => Number.isInteger(port) && port >= 0 && port <= 65535),
  ),
  // The message does not quote it: it may be a real key with a line break behind it.
  apiKey: optional(
    text("visible ASCII without spaces (on the command line: WEBHOOKS_API_KEY)", /^[\x21-\x7e]+$/),
  ),
  // Clients normalize `.` and `..`, also as `%2e`: they would send another path.
  path: optional(text("a path like /v1, without . and .. as segments", /^(\/(?!\.\.?(\/|$))[\w.~-]+)*\/?$/)),
  behavior: undefined,
  file: optional(text("the path of a file", /./)),
  maxCalls: COUNT,
};
