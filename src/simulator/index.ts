import { Api } from "./api.js";
import type { Behaviour } from "./behaviour.js";
import type { Call } from "./calls.js";
import { CallLog } from "./calls.js";
import { DataFile } from "./data-file.js";
import type { FaultRule } from "./faults.js";
import { Faults } from "./faults.js";
import { listen } from "./server.js";
import type { StoredWebhook, WebhookFields } from "./store.js";
import { Store } from "./store.js";
import { parseBehaviour } from "./switches.js";

export type { Behaviour, RateLimit } from "./behaviour.js";
export type { Call, Operation } from "./calls.js";
export type {
  CloseFault,
  Fault,
  FaultRule,
  HangFault,
  LatencyFault,
  OddReplyFault,
  RawReplyFault,
  RedirectFault,
  ResetFault,
  SlowFault,
  StatusFault,
} from "./faults.js";
export type { StoredWebhook, WebhookFields } from "./store.js";

/** How to start a simulator. */
export interface SimulatorOptions {
  /** The TCP port on 127.0.0.1. Default 0: a free one. */
  readonly port?: number;
  /** The one key it accepts: visible ASCII, as a header carries it. Default `"simulator-key"`. */
  readonly apiKey?: string;
  /** A prefix of every path, such as `"/v1"`, as a real base URL may have one. Default none. */
  readonly path?: string;
  /** Switches for what the API's document leaves open. Default: what the document suggests. */
  readonly behaviour?: Partial<Behaviour>;
  /**
   * A file that keeps the webhooks from one run to the next; it is made when there is none. Each change is written before
   * it is answered, for the owner's eyes only, since the secrets of webhooks are in it. One simulator at a time: a file
   * that something else has changed is left as it is, and the change refused. Default none: they are in memory only.
   */
  readonly data?: string;
  /**
   * How many calls `calls` holds at most: the last ones. Default `Infinity`, so that a test sees all. The command
   * `pulumi-webhooks simulator`, which may run for weeks, keeps 100.
   */
  readonly maxCalls?: number;
}

/** The webhook API as a real HTTP server on loopback, and all that a test wants to see of it and do to it. */
export interface Simulator {
  /** The base URL, with the path, without a trailing slash: what the setting `baseUrl` wants. */
  readonly url: string;
  /** The page, for a browser on this machine: it shows the webhooks and the calls, and changes what a test can change. */
  readonly pageUrl: string;
  /** The one key it accepts. Set it to rotate the key; the old one gets a 401 from then on. */
  apiKey: string;
  /** The switches. Set one, or all of them; the next call sees it. */
  behaviour: Behaviour;
  /** The webhooks that exist now, oldest first: a copy that later calls do not change. */
  readonly webhooks: readonly StoredWebhook[];
  /**
   * What came in since the start or `clearCalls`, oldest first, all of it or the last `maxCalls`. The list is live: it
   * grows, and open calls go on.
   */
  readonly calls: readonly Call[];
  /** What a person does in the platform's dashboard: nothing of it is a call. */
  readonly dashboard: Dashboard;
  /** Called with each call when it is over: its reply is sent, or its connection lost. Default none. */
  onCall: ((call: Call) => void) | undefined;
  /**
   * Adds a rule by which calls go wrong, behind those that are there.
   * @throws RangeError for a number out of range, TypeError for a header that HTTP does not allow.
   */
  inject(rule: FaultRule): void;
  /** Removes all rules. Faults under way, such as a hang, go on. */
  clearFaults(): void;
  /** Forgets the calls so far. */
  clearCalls(): void;
  /** Stops listening and destroys every open connection; resolves when all of them are gone. */
  close(): Promise<void>;
}

/**
 * What a person can do in the platform's dashboard, past the HTTP interface, its key, its faults and its log. Each throws
 * an error that names the data file when the change cannot be kept; it is not made then.
 */
export interface Dashboard {
  /** Makes a webhook; `enabled` is true by default, `url` and `name` are empty. */
  create(fields: WebhookFields): StoredWebhook;
  /**
   * Changes the given fields and sets `updatedAt`, also when nothing differs.
   * @throws RangeError when there is no such webhook.
   */
  edit(id: string, fields: WebhookFields): StoredWebhook;
  /**
   * Deletes it.
   * @throws RangeError when there is no such webhook.
   */
  delete(id: string): void;
}

/**
 * Starts the API on 127.0.0.1. It behaves as the API's document says, strictly, and as `behaviour` says where the
 * document is silent. Wrong requests get 400, 401, 404, 405, 413, 415 or 422; the document shows no errors at all.
 *
 * ```ts
 * const simulator = await startSimulator();
 * simulator.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
 * // … run what is to be tested against simulator.url with simulator.apiKey …
 * await simulator.close();
 * ```
 * @throws RangeError for an option that is out of range, an error that names the data file when that cannot be used, and
 * the system's error when the port is taken.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const settings = {
    apiKey: checkedKey(options.apiKey ?? "simulator-key"),
    behaviour: parseBehaviour(options.behaviour ?? {}),
  };
  const path = checkedPath(options.path ?? "");
  const { data: dataFile } = options;
  const calls = new CallLog(checkedMaximum(options.maxCalls ?? Infinity));
  const store = new Store(dataFile === undefined ? undefined : new DataFile(dataFile));
  const faults = new Faults();
  const api = new Api(settings, store);
  const parts = { api, store, calls, faults, settings, path, dataFile };
  const server = await listen(options.port ?? 0, parts);
  const origin = `http://127.0.0.1:${server.port}`;

  return {
    url: `${origin}${path}`,
    pageUrl: `${origin}/`,
    get apiKey() {
      return settings.apiKey;
    },
    set apiKey(apiKey) {
      settings.apiKey = checkedKey(apiKey);
    },
    get behaviour() {
      return settings.behaviour;
    },
    set behaviour(behaviour) {
      settings.behaviour = parseBehaviour(behaviour);
    },
    get webhooks() {
      return store.list();
    },
    get calls() {
      return calls.calls;
    },
    get onCall() {
      return calls.onCall;
    },
    set onCall(onCall) {
      calls.onCall = onCall;
    },
    dashboard: {
      create: (fields) => store.create(fields, settings.behaviour),
      edit: (id, fields) => store.edit(id, fields, settings.behaviour) ?? unknownWebhook(id),
      delete: (id) => {
        if (!store.delete(id)) unknownWebhook(id);
      },
    },
    inject: (rule) => faults.inject(rule),
    clearFaults: () => faults.clear(),
    clearCalls: () => calls.clear(),
    close: () => server.close(),
  };
}

function unknownWebhook(id: string): never {
  throw new RangeError(`The simulator has no webhook ${id}`);
}

function checkedKey(apiKey: string): string {
  // The message does not quote it: it may be a real key with a line end behind it.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new RangeError(
      "The API key (on the command line: WEBHOOKS_API_KEY) must be visible ASCII without spaces",
    );
  return apiKey;
}

function checkedMaximum(maxCalls: number): number {
  if (maxCalls === Infinity || (Number.isInteger(maxCalls) && maxCalls >= 0)) return maxCalls;
  throw new RangeError(`maxCalls: expected a whole number from 0, or Infinity, not ${maxCalls}`);
}

function checkedPath(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  if (!/^(\/[\w.~%-]+)*$/.test(trimmed)) throw new RangeError(`path: expected one like /v1, not "${path}"`);
  return trimmed;
}
