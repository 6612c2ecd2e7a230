import { AsyncLocalStorage } from "node:async_hooks";
import { type Dispatcher, Pool } from "undici";
import { accountOf, shownId } from "./accounts.js";
import { type State, tick } from "./state.js";

/** A webhook at the API, and what only the search knows of it. */
export interface Stored {
  id: string;
  url: string;
  name: string;
  enabled: boolean;
  secret?: string;
  createdAt: string;
  updatedAt: string;
  /** The URN of the resource whose create made it. Undefined: somebody else made it, or manages it now. */
  creator?: string;
  /** The key of the last request that saw it. */
  seenWith?: string;
  isClaimed?: true;
  /** Whether a wrong answer has left it at the API. To delete it there mends that. */
  isExcused?: true;
  /** Whether it may differ from its record: the process of the provider died alone in an update, a documented limit. */
  mayDiffer?: true;
}

export type Operation = "create" | "update" | "delete";

const KILLS = (["engine", "provider"] as const).flatMap((who) =>
  (["before it is sent", "not done", "done", "after the reply"] as const).map(
    (when) => `${who} killed ${when}` as const,
  ),
);
const COMMON = ["no reply, not done", "no reply, done", "refused", ...KILLS] as const;

/** The faults of each operation. The others differ for the client only, which has tests of its own. */
export const FAULTS = {
  create: [
    ...COMMON,
    // The engine cannot save the result, and ends in order. Of an update or a delete, the state alone shows that: a limit.
    "backend killed after the reply",
    "contradicting reply",
    "reply with a cut name",
    "reply without an id",
  ],
  update: [...COMMON, "contradicting reply", "reply without an id"],
  delete: [...COMMON, "unclear reply"],
} as const;
export type FaultKind = (typeof FAULTS)[Operation][number];

/** The faults after which the API has done nothing. */
const UNDONE = ["refused", "not done"];

type Killed = "engine" | "provider" | "backend";

function parseKill(kind = "") {
  const [, who, when] = /^(engine|provider|backend) killed (.*)/.exec(kind) ?? [];
  return who === undefined ? undefined : { who: who as Killed, when }; // The pattern has no other.
}

/** A fault of one request of a run, or of that one and all later ones. */
export interface Fault {
  kind: FaultKind;
  request: number;
  andLater: boolean;
}

export interface Call {
  operation: Operation;
  isProbe: boolean;
  key: string;
  /** The webhook that it created, changed or deleted. */
  id: string;
  sender: string;
  isDone: boolean;
  fault: FaultKind | undefined;
  at: number;
  /** The one before an update or a delete. */
  before?: Stored | undefined;
}

const sender = new AsyncLocalStorage<string>();
export const sendAs = <Result>(urn: string, run: () => Promise<Result>): Promise<Result> =>
  sender.run(urn, run);

/** The API in memory: it serves what undici's agents dispatch, without a socket. */
export class Api {
  readonly calls: Call[] = [];
  /** Called when a fault kills the engine or a provider: during the request, or when its reply arrives. */
  onKill: (who: Killed, sender: string) => void = () => {};
  readonly #state: State;
  readonly #fault: Fault | undefined;
  #count = 0;

  constructor(state: State, fault?: Fault) {
    this.#state = state;
    this.#fault = fault;
  }

  /** Lets the API serve all requests of this process. @returns what ends that. */
  static serve(current: () => Api): () => void {
    const { dispatch } = Pool.prototype;
    Pool.prototype.dispatch = (options, handler) => {
      const from = sender.getStore() ?? "";
      queueMicrotask(() => current().#serve(options, handler, from));
      return true;
    };
    return () => {
      Pool.prototype.dispatch = dispatch;
    };
  }

  #serve(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, from: string): void {
    const kind = this.#takeFault();
    const kill = parseKill(kind);
    if (kill?.when === "before it is sent") {
      this.onKill(kill.who, from);
      return;
    }
    handler.onRequestStart?.(CONTROLLER, {});
    const { status, body } = this.#operate(options, { from, kind });
    if (kill !== undefined) this.onKill(kill.who, from);
    if (kill?.when === "not done" || kill?.when === "done") return;
    if (kind?.startsWith("no reply")) {
      const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
      handler.onResponseError?.(CONTROLLER, reset);
      return;
    }
    const headers = { "content-type": "application/json", date: new Date().toUTCString() };
    handler.onResponseStart?.(CONTROLLER, status, headers, "");
    handler.onResponseData?.(CONTROLLER, Buffer.from(JSON.stringify(body)));
    handler.onResponseEnd?.(CONTROLLER, {});
  }

  #takeFault(): FaultKind | undefined {
    const index = this.#count++;
    const { kind, request, andLater } = this.#fault ?? {};
    return index === request || (andLater && index > (request ?? 0)) ? kind : undefined;
  }

  #operate(
    { path, body, headers }: Dispatcher.DispatchOptions,
    { from, kind }: { from: string; kind: FaultKind | undefined },
  ): { status: number; body: object } {
    const key = String(Object(headers).authorization).replace("Bearer ", "");
    const account = accountOf(key);
    const { webhook_id: sentId, ...sent } = JSON.parse(String(body));
    const id = `${account}${sentId}`;
    const isUndone = kind !== undefined && UNDONE.some((undone) => kind.endsWith(undone));
    const operation = (path.split("/")[2] ?? "create") as Operation; // There are no other paths.
    const { webhooks, lastIds } = this.#state;
    const index = webhooks.findIndex((one) => one.id === id);
    const before = webhooks[index];
    const isProbe = operation === "update" && Object.keys(sent).length === 0;
    const request = { operation, isProbe, key, id, sender: from, isDone: false, fault: kind, at: Date.now() };
    const call: Call = { ...request, before: before && { ...before } };
    this.calls.push(call);
    if (kind === "refused") {
      const message = `Refused: key ${key}, secret ${sent.secret ?? before?.secret}.`;
      return { status: 422, body: { message } };
    }
    if (operation !== "create" && before === undefined)
      return { status: 404, body: { message: "Webhook not found." } };
    call.isDone = !isUndone;
    if (operation === "delete") {
      if (!isUndone) webhooks.splice(index, 1);
      return { status: 200, body: kind === "unclear reply" ? {} : { data: { message: "Webhook deleted." } } };
    }
    const now = tick(this.#state);
    if (operation === "create") lastIds[account]++;
    const created = { id: `${account}wh-${lastIds[account]}`, createdAt: now, creator: from };
    const fields = { ...sent, ...("enabled" in sent && { enabled: sent.enabled === "true" }) };
    const updated = isProbe ? {} : { updatedAt: now };
    const webhook: Stored = { ...(before ?? created), ...fields, seenWith: key, ...updated };
    if (!isUndone) webhooks.splice(before === undefined ? webhooks.length : index, 1, webhook);
    call.id = webhook.id;
    const { name, enabled, createdAt: created_at, updatedAt: updated_at } = webhook;
    const record = {
      ...(kind !== "reply without an id" && { id: shownId(webhook.id) }),
      name: kind === "reply with a cut name" ? name.slice(0, 3) : name,
      enabled: String(kind === "contradicting reply" ? !enabled : enabled),
      created_at,
      updated_at,
    };
    return { status: operation === "create" ? 201 : 200, body: { data: { webhook: record } } };
  }
}

/** All that the client uses of it: it aborts nothing here, since no time passes. */
const CONTROLLER = {
  abort: () => {
    throw new Error("No request is aborted.");
  },
} as unknown as Dispatcher.DispatchController;
