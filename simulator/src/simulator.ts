import type { Behavior } from "./behavior.js";
import type { FaultRule } from "./fault.js";
import type { Call } from "./request-log.js";
import type { StoredWebhook, WebhookFields } from "./webhook-store.js";

// Apart from what implements it: users compile these declarations with Pulumi's TypeScript 3.8, which cannot read the others.

/** The options of `startSimulator`. */
export interface SimulatorOptions {
  /** The TCP port. Default 0: a free one. */
  readonly port?: number;
  /**
   * The address to listen at, such as `"0.0.0.0"` in a container for tests. Default `"127.0.0.1"`: other machines cannot
   * reach it. The control API requires no key. With another address it answers at every IP address, at names without a
   * dot, as services have them, and at this name.
   */
  readonly host?: string;
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
   * `pulumi-webhooks-simulator`, which may run for weeks, keeps 100.
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
  /** Goes back to the start: no webhooks, requests and faults, and the behavior and the key of the start. */
  reset(): void;
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
