import type { Behavior } from "./behavior.js";
import { parseBehavior } from "./behavior.js";
import type { FaultRule } from "./fault.js";
import { FaultRules } from "./fault-rules.js";
import { COUNT, checkFields, type Fields, number, optional, text } from "./field.js";
import { Api } from "./operations.js";
import type { Call, LogEntry } from "./request-log.js";
import type { Dashboard, Simulator, SimulatorOptions } from "./simulator.js";
import { WebhookStore } from "./webhook-store.js";

/** A simulator without its server: what programs, requests to the API, the control API and the page read and change. */
export class Simulation implements Omit<Simulator, "url" | "pageUrl" | "controlUrl" | "close"> {
  apiKey: string;
  behavior: Behavior;
  readonly #store: WebhookStore;
  /** By API key, if each has an account. The first key has the store above. */
  readonly #accounts = new Map<string, WebhookStore>();
  readonly calls: LogEntry[] = [];
  readonly faults = new FaultRules();
  api = new Api(this);
  /** The address to listen at. */
  readonly host: string;
  /** The prefix of the API's paths: empty, or with a leading and without a trailing slash. */
  readonly path: string;
  /** Aborted when the simulator closes. */
  readonly closing = new AbortController();
  onCall: ((call: Call) => void) | undefined;
  readonly dashboard: Dashboard = {
    create: (fields) => this.store.create(fields),
    edit: (id, fields) => this.store.edit(id, fields),
    delete: (id) => this.store.delete(id),
  };
  readonly #initialBehavior: Behavior;
  readonly #initialKey: string;
  readonly #maxCalls: number;
  #callCount = 0;

  /** @throws RangeError for an invalid option. */
  constructor(options: SimulatorOptions) {
    checkFields(OPTIONS, options);
    const {
      apiKey = "simulator-key",
      host = "127.0.0.1",
      path = "",
      behavior = {},
      file,
      maxCalls = Infinity,
    } = options;
    this.apiKey = this.#initialKey = apiKey;
    this.host = host;
    this.#store = new WebhookStore(() => this.behavior, file);
    this.behavior = parseBehavior(behavior);
    this.#initialBehavior = structuredClone(this.behavior);
    this.path = path.replace(/\/$/, "");
    this.#maxCalls = maxCalls;
  }

  /** The webhooks of the account that has the key. */
  storeOf(key: string): WebhookStore {
    if (this.behavior.keysFind !== "their own account" || key === this.#initialKey) return this.#store;
    const store = this.#accounts.get(key) ?? new WebhookStore(() => this.behavior);
    this.#accounts.set(key, store);
    return store;
  }

  get store(): WebhookStore {
    return this.storeOf(this.apiKey);
  }

  get webhooks() {
    return this.store.list();
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

  reset(): void {
    this.#store.clear();
    this.#accounts.clear();
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
  host: optional(text("an IP address or a name", /^[\w.:-]+$/)),
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
