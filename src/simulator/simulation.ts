import { Api } from "./api.js";
import type { Behavior } from "./behavior.js";
import { parseBehavior } from "./behavior.js";
import type { FaultRule } from "./fault.js";
import { FaultRules } from "./fault-rules.js";
import { COUNT, checkFields, type Fields, number, optional, text } from "./field.js";
import { type Redact, redactorOf } from "./redact.js";
import type { Call, LogEntry } from "./request-log.js";
import { State, type StoredWebhook, type WebhookFields } from "./state.js";

/** The options of `startSimulator`. */
export interface SimulatorOptions {
  /** The TCP port on 127.0.0.1. Default 0: a free one. */
  readonly port?: number;
  /** The one API key that it accepts, in visible ASCII. Default `"simulator-key"`. */
  readonly apiKey?: string;
  /** A prefix of every path, such as `"/v1"`, as a real base URL may have one. Default none. */
  readonly path?: string;
  /** Options for what the API docs leave open. Default: what the API docs suggest. */
  readonly behavior?: Partial<Behavior>;
  /**
   * A file that keeps the webhooks, with their secrets, for the next start. It is created if it does not exist, readable
   * by you only. Default: they are gone when the simulator ends.
   */
  readonly file?: string;
  /**
   * How many requests `calls` holds at most: the last ones. Default `Infinity`, for tests. The command
   * `pulumi-webhooks simulator`, which may run for weeks, keeps 100.
   */
  readonly maxCalls?: number;
}

/** The webhook API as a real HTTP server on loopback, with everything that a test can inspect and change. */
export interface Simulator {
  /** The base URL, with the path, without a trailing slash: the value for the setting `baseUrl`. */
  readonly url: string;
  /** The URL of the page, for a browser on this machine. It shows the webhooks and requests, and can change the rest. */
  readonly pageUrl: string;
  /** The URL of the control API, for tests in other languages: without a trailing slash. */
  readonly controlUrl: string;
  /** The one API key that it accepts. Set it to rotate the key; requests with the old one then get a 401. */
  apiKey: string;
  /** The behavior options. Set one, or all of them; they apply from the next request on. */
  behavior: Behavior;
  /** The webhooks that exist now, oldest first: a copy that later requests do not change. */
  readonly webhooks: readonly StoredWebhook[];
  /**
   * The requests since the start or `clearCalls`, oldest first: all of them, or the last `maxCalls`. The list is live: it
   * grows, and its last fields change until a request ends.
   */
  readonly calls: readonly Call[];
  /** Changes webhooks as the dashboard does, without a request. */
  readonly dashboard: Dashboard;
  /** Called with each request when it ends: its reply is sent, or its connection lost. Default none. */
  onCall: ((call: Call) => void) | undefined;
  /**
   * Adds a fault rule behind the existing ones, in the notation of the command line and of the control API:
   * `"create: reset after commit, 2 times"`.
   * @throws RangeError that says what is wrong, and how to write it.
   */
  inject(rule: string): void;
  /** Adds a fault rule behind the existing ones. @throws RangeError that says what is wrong, and what is allowed. */
  inject(rule: FaultRule): void;
  /** Removes all fault rules. A fault in progress, such as a hang, goes on. */
  clearFaults(): void;
  /** Clears the list of requests. */
  clearCalls(): void;
  /** Stops listening and destroys every open connection. Resolves when all of them are closed. */
  close(): Promise<void>;
}

/** Changes webhooks as the dashboard does: without the HTTP interface, its key, faults and log. */
export interface Dashboard {
  /** Creates a webhook; `enabled` is true by default, `url` and `name` are empty. */
  create(fields: WebhookFields): StoredWebhook;
  /** Changes the given fields and sets `updatedAt`, even if nothing differs. @throws an error if there is no such webhook. */
  edit(id: string, fields: WebhookFields): StoredWebhook;
  /** Deletes a webhook. @throws an error if there is no such webhook. */
  delete(id: string): void;
}

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
