import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Call, Simulator, StoredWebhook } from "../../../src/simulator/index.js";
import { startSimulator } from "../../../src/simulator/index.js";
import { RESOURCES, SECRETS } from "./commands.js";
import type { Engine, Outcome, ProviderName, Recorded, Settings, Up, WithoutProgram } from "./engine.js";
import { PROVIDERS, registered, urnOf } from "./engine.js";
import type { Surroundings, Trouble } from "./faults.js";
import type { Run, SentCall } from "./invariants.js";
import {
  checkInvariants,
  currentOf,
  doubtsOf,
  FIELDS,
  isInDoubt,
  isUpdated,
  saysMaybeGone,
  unrecorded,
  Violation,
} from "./invariants.js";
import { HELD, Model } from "./model.js";

function showRecord(record: Recorded): string {
  const marks = [record.delete && "to delete", record.pendingReplacement && "to replace"].filter(Boolean);
  return [`${record.resource}=${record.id}`, ...marks].join(" ");
}

/** The figures of all histories. */
export interface Figures {
  /** The number of commands. */
  steps: number;
  /** The number of engine runs, with the previews after each clean up. */
  runs: number;
  /** The number of requests that the API received. */
  requests: number;
  /** The number of faults, by kind. */
  faults: Record<string, number>;
  inDoubt: number;
  /** Of those in doubt: imported, replaced, or looked for after a drop. */
  resolved: number;
  /** The number of imports of a webhook that another resource has, or imports too. */
  refused: number;
  /** The number of runs that were killed in an update or a delete. */
  killed: number;
  /** Always 0: the first one ends the run. */
  duplicated: 0;
  lost: 0;
}

export function noFigures(): Figures {
  return {
    steps: 0,
    runs: 0,
    requests: 0,
    faults: {},
    inDoubt: 0,
    resolved: 0,
    refused: 0,
    killed: 0,
    duplicated: 0,
    lost: 0,
  };
}

/** Describes figures in one line. */
export function describe({ steps, runs, requests, faults, ...more }: Figures): string {
  const counts = Object.values(faults);
  const failed = counts.reduce((sum, count) => sum + count, 0);
  const { inDoubt, resolved, refused, killed, duplicated, lost } = more;
  return `${steps} steps with ${runs} runs of the engine: ${requests} requests, of which ${failed} failed in ${counts.length} ways; ${inDoubt} creates in doubt, ${resolved} of them resolved; ${refused} imports of another resource's webhook refused; ${killed} runs killed in an update or a delete; ${duplicated} duplicated, ${lost} lost`;
}

export interface Options {
  engine: (api: Simulator) => Engine;
  api: Simulator;
  figures: Figures;
  /** The provider's time limits in each kind of run. */
  patience?: Record<Patience, Pick<Settings, "timeoutSeconds" | "deadlineSeconds">>;
}

/** Without faults the provider waits as long as it takes. */
type Patience = "calm" | "short" | "long";

const PATIENCE: NonNullable<Options["patience"]> = {
  calm: { timeoutSeconds: 30, deadlineSeconds: 60 },
  short: { timeoutSeconds: 0.1, deadlineSeconds: 0.1 },
  long: { timeoutSeconds: 0.1, deadlineSeconds: 0.9 },
};

/** The API, another account's API, and the engine that the person uses. */
export class World {
  readonly model: Model;
  readonly api: Simulator;
  readonly figures: Figures;
  readonly #engine: Engine;
  readonly #other: Simulator;
  readonly #options: Options;
  readonly #story: string[] = [];
  /** The number of calls that have ended. */
  #ended = 0;
  /** The settings in the state, which a run without the program uses. */
  readonly #recorded = new Map<ProviderName, Settings>();

  private constructor(options: Options, other: Simulator) {
    this.#options = options;
    this.api = options.api;
    this.figures = options.figures;
    this.#engine = options.engine(options.api);
    const { knowsTwins: hasTwins, canBeKilled } = this.#engine;
    this.model = new Model({ hasTwins, canBeKilled });
    this.#other = other;
    this.api.onCall = () => {
      this.#ended++;
    };
  }

  static async create(options: Options): Promise<World> {
    const other = await startSimulator({ apiKey: options.api.apiKey });
    // They get the same ids as the first webhooks of the model.
    for (const name of RESOURCES) other.dashboard.create({ name, url: "https://example.com/other" });
    return new World(options, other);
  }

  close(): Promise<void> {
    return this.#other.close();
  }

  /** Notes a command. */
  note(command: string): void {
    this.figures.steps++;
    this.#story.push(command);
  }

  /** Returns the last commands and runs, for the reader of a failure. */
  story(): string {
    return this.#story.slice(-20).join("\n");
  }

  webhooks(): ReadonlyMap<string, StoredWebhook> {
    return new Map(this.api.webhooks.map((webhook) => [webhook.id, webhook]));
  }

  async up({ troubles = [], patience = "short", replace = new Set(), ...options }: UpOptions): Promise<void> {
    const { model } = this;
    if (model.usesIdsAgain) model.createBeforeDelete();
    const settings = this.#settings(troubles, patience);
    const up: Up = { ...options, program: model.program, settings };
    // A limit: while a create is in flight, nothing shows that it gets the id of a webhook that is deleted side by side.
    if (model.usesIdsAgain) up.parallel = 1;
    const obstacles = model.obstacles(replace);
    const isMissing = model.missing().length > 0;
    const isTwinOfDoubt = model.isTwinOfDoubt();
    const act: Act = {
      kind: "up",
      settings,
      given: registered(model.program),
      troubles,
      replace,
      ...options,
    };
    const { outcome, used } = await this.#run(act, () => this.#engine.up({ ...up, replace }));
    if (obstacles.length > 0 && outcome.ok) throw new Violation(`The up succeeded, although ${obstacles}`);
    const isRight = used.every(
      ({ apiKey, baseUrl }) => apiKey === this.api.apiKey && baseUrl === this.api.url,
    );
    if (outcome.ok) model.apply();
    const isKilled = outcome.interrupted !== undefined;
    if (troubles.length > 0 || obstacles.length > 0 || isKilled || !isRight) return;
    // If the last update of a webhook that is gone failed, this up sends it again, and fails too.
    if (!outcome.ok && isMissing) return;
    if (!outcome.ok && isTwinOfDoubt) return;
    if (!outcome.ok) throw new Violation(`An up without faults failed: ${outcome.lines.join(" | ")}`);
    this.#checkDeclared();
    for (const _twice of [1, 2]) {
      const { outcome: plan } = await this.#run({ ...act, kind: "preview" }, () => this.#engine.preview(up));
      if (plan.ok && plan.changes === 0) continue;
      throw new Violation(`A clean up left a plan: ${plan.lines.join(" | ")}`);
    }
  }

  /** Runs a preview and an up of a program that imports a webhook which another resource has, or imports too. */
  async upRefused(resource: string, id: string): Promise<void> {
    const { model } = this;
    const { program } = model;
    const settings = this.#settings([]);
    const act: Act = { kind: "preview", settings, given: registered(program) };
    const { outcome } = await this.#run(act, () => this.#engine.preview({ program, settings }));
    // If both import it, the engine may register either of them first.
    const holders = model.holders(resource, id).flatMap((holder) => model.namesOf(holder));
    const urns = [resource, ...holders].map(urnOf);
    const problems = urns.map((urn) => `webhook ${id} belongs to another resource of this stack, ${urn}.`);
    const isNamed = outcome.lines.some((line) => problems.some((problem) => line.includes(problem)));
    // Another obstacle may end the preview first.
    const isHeld = model.obstacles(new Set()).every((obstacle) => obstacle.endsWith(HELD));
    // An older import may name an id that the API has used again.
    const isOnly = isHeld && !model.isTwinOfDoubt() && !model.usesIdsAgain;
    if (outcome.ok || (isOnly && !isNamed)) {
      throw new Violation(`A preview let ${resource} import webhook ${id}: ${outcome.lines.join(" | ")}`);
    }
    await this.up({});
    this.figures.refused++;
  }

  async upElsewhere(): Promise<void> {
    const settings = { ...this.#settings([]), baseUrl: this.#other.url };
    const before = JSON.stringify(this.model.records);
    const { program } = this.model;
    const act: Act = { kind: "up", settings, given: registered(program) };
    const { outcome } = await this.#run(act, () => this.#engine.up({ program, settings }));
    if (outcome.ok) throw new Violation("An up with another account's URL succeeded.");
    if (JSON.stringify(this.model.records) !== before) throw new Violation("It changed the state.");
  }

  async refresh({ troubles, runProgram }: OffOptions): Promise<void> {
    const settings = this.#settings(troubles);
    const act: Act = { kind: "refresh", settings, given: givenBy(runProgram), troubles };
    await this.#run(act, () => this.#engine.refresh({ settings, runProgram }));
  }

  async destroy({ troubles, runProgram, kill }: OffOptions & Pick<WithoutProgram, "kill">): Promise<void> {
    const settings = this.#settings(troubles);
    const act: Act = { kind: "destroy", settings, given: givenBy(runProgram), troubles };
    const { outcome } = await this.#run(act, () => this.#engine.destroy({ settings, runProgram, kill }));
    if (!outcome.ok) return;
    const { records, owners } = this.model;
    if (records.length > 0 || owners.size > 0) throw new Violation(`A destroy left ${[...owners]}`);
  }

  #settings(troubles: readonly Trouble[], patience: Patience = "short"): Settings {
    const { key: apiKey, drift } = this.model;
    const waits = (this.#options.patience ?? PATIENCE)[troubles.length === 0 ? "calm" : patience];
    return { apiKey, baseUrl: this.api.url, drift, ...waits };
  }

  /** Runs the engine, checks the result, and does what the output tells the person to do. */
  async #run(act: Act, run: () => Promise<Outcome>): Promise<{ outcome: Outcome; used: Settings[] }> {
    const { model, api, figures } = this;
    const { kind, settings, given, troubles = [], replace = new Set(), repeatsCreates = false } = act;
    const used = PROVIDERS.map((provider) => {
      const own = given.has(provider) ? settings : (this.#recorded.get(provider) ?? settings);
      if (kind !== "preview") this.#recorded.set(provider, own);
      return own;
    });

    const before = { records: model.records, webhooks: this.webhooks() };
    for (const rule of troubles.flatMap(({ rules }) => rules(this.#surroundings()))) api.inject(rule);
    // No API uses an id again within a minute.
    if (model.usesIdsAgain) api.behaviour.clockSkewSeconds += 3600;
    const outcome = await run();
    api.clearFaults();
    const calls = (await this.#takeCalls()).map((call) => ({ ...call, resource: this.#senderOf(call) }));
    model.recorded = await this.#engine.records();
    const after = { records: model.records, webhooks: this.webhooks() };

    figures.runs++;
    figures.requests += calls.length;
    for (const { fault } of calls) {
      if (fault !== undefined) figures.faults[fault] = (figures.faults[fault] ?? 0) + 1;
    }
    model.webhooks = after.webhooks;
    this.#giveOwners(before.webhooks, calls, replace);
    const shown = after.records.map(showRecord).join(", ");
    this.#story.push(
      `  ${kind} ${outcome.ok ? "done" : "failed"}: ${shown}; at the API ${[...after.webhooks.keys()]}`,
    );
    const isElsewhere = used.some(({ baseUrl }) => baseUrl !== api.url);
    const probes = used.some(({ drift }) => drift === "probe");
    const { program, owners, usesIdsAgain } = model;
    const seen = { before, after, calls, outcome, interrupted: model.interrupted };
    checkInvariants({
      kind,
      program,
      replace,
      repeatsCreates,
      isElsewhere,
      probes,
      owners,
      usesIdsAgain,
      ...seen,
    });
    if (this.#other.calls.length > 0) throw new Violation("Another account's API received a request.");
    this.#note({ before, calls, outcome, replace });
    if (kind !== "preview") this.#noteInterrupted(calls, outcome);
    return { outcome, used };
  }

  #surroundings(): Surroundings {
    const { model } = this;
    return {
      key: this.api.apiKey,
      otherUrl: this.#other.url,
      ids: [...model.webhooks.keys()],
      secrets: SECRETS,
      secretOf: (call) => {
        const { url, webhook_id: webhookId } = Object(call.body);
        const resource = this.#senderOf(call);
        if (url !== undefined && resource !== undefined) return model.program.get(resource)?.secret;
        // If a webhook is recorded twice, with two secrets, nothing shows which record the request is about.
        const [record, another] = model.records.filter(({ id }) => id === webhookId);
        const secret = another === undefined ? record?.outputs.secret : undefined;
        return typeof secret === "string" ? secret : undefined;
      },
    };
  }

  #senderOf(call: Call): string | undefined {
    const resource = this.#engine.senderOf(call);
    return resource === undefined ? undefined : this.model.nameOf(resource);
  }

  /** Waits until all calls have ended, also abandoned ones, and takes them off the log. */
  async #takeCalls(): Promise<Call[]> {
    // A call that was abandoned before the simulator accepted its connection appears a few turns later.
    for (let quietTurns = 0; quietTurns < 10; quietTurns++) {
      const seen = this.api.calls.length;
      await turn();
      while (this.#ended < this.api.calls.length) await sleep(1);
      if (this.api.calls.length > seen) quietTurns = 0;
    }
    const calls = [...this.api.calls];
    this.api.clearCalls();
    this.#ended = 0;
    return calls;
  }

  /** Notes the owners of the webhooks that the run created or imported. */
  #giveOwners(
    before: ReadonlyMap<string, StoredWebhook>,
    calls: readonly SentCall[],
    replace: ReadonlySet<string>,
  ): void {
    const { model } = this;
    const creates = calls.filter(({ operation, committed }) => operation === "create" && committed);
    const created = [...model.webhooks.values()].filter(
      ({ id, createdAt }) => before.get(id)?.createdAt !== createdAt,
    );
    // A record that waits for its deletion may have the id of an earlier webhook.
    const recorders = model.records.toSorted((one, other) => Number(one.delete) - Number(other.delete));
    const recorderOf = ({ id }: StoredWebhook) => recorders.find((record) => record.id === id)?.resource;
    // No call shows which id it got. Those of twins that nobody recorded may change places.
    const recorded = created.filter((webhook) => recorderOf(webhook) !== undefined);
    const all = [...new Set([...recorded, ...created])];
    const isAsSent = (webhook: StoredWebhook) => creates.some((create) => this.#isCreateOf(webhook, create));
    // An update may have changed one already, if it was sent by the id of an earlier webhook.
    for (const webhook of [...all.filter(isAsSent), ...all.filter((webhook) => !isAsSent(webhook))]) {
      const own = creates.filter((create) => this.#isCreateOf(webhook, create));
      const isChanged = model.usesIdsAgain && own.length === 0;
      const possible = isChanged ? creates : own;
      const create = possible.find(({ resource }) => resource === recorderOf(webhook)) ?? possible[0];
      if (create === undefined && isChanged) continue;
      if (create?.resource === undefined) throw new Error(`No request created webhook ${webhook.id}.`);
      creates.splice(creates.indexOf(create), 1);
      model.owners.set(webhook.id, create.resource);
      // What is known of an earlier webhook with this id does not hold for it.
      for (const known of [model.imported, model.edited, model.gone, model.maybeGone])
        known.delete(webhook.id);
      if (isChanged) model.edited.add(webhook.id);
    }
    for (const { id, resource, inputs } of model.records) {
      if (inputs.import !== id || !model.webhooks.has(id)) continue;
      // An older import may name the id of a webhook that another resource created since.
      if (model.usesIdsAgain && (model.owners.get(id) ?? resource) !== resource) continue;
      // A webhook in doubt that was found belongs to its resource already, and has the secret that was sent.
      if (model.owners.get(id) === resource && !replace.has(resource)) continue;
      model.owners.set(id, resource);
      model.imported.add(id);
    }
  }

  #isCreateOf({ url, name, enabled, secret }: StoredWebhook, { body, resource = "" }: SentCall): boolean {
    const sent = Object(body);
    const isSame = sent.url === url && sent.name === name && sent.enabled === `${enabled}`;
    return isSame && this.model.program.get(resource)?.secret === secret;
  }

  /** Notes everything else. Looks for webhooks that were dropped in doubt, and deletes them. */
  #note({ before, calls, outcome, replace }: Pick<Run, "before" | "calls" | "outcome" | "replace">): void {
    const { model, figures } = this;
    for (const { operation, committed, body, resource } of calls) {
      const { url, webhook_id: id } = Object(body);
      const isOthers = resource !== model.owners.get(id);
      if (operation === "update" && committed && url !== undefined) {
        // A limit: a failed import may have changed a webhook that an older record still shows as it was.
        const isImport = ![...model.program.keys()].some(
          (name) => currentOf(before.records, name)?.id === id && !replace.has(name),
        );
        if ((isImport || isOthers) && !outcome.ok) model.edited.add(id);
        else model.edited.delete(id);
      }
      const isKilled = outcome.interrupted?.id === id;
      if (operation === "delete" && committed && !outcome.ok && !isKilled) model.gone.add(id);
    }
    for (const { id } of model.records) {
      if (outcome.lines.some((line) => saysMaybeGone(line, id))) model.maybeGone.add(id);
    }
    const old = new Set(before.records.filter(isInDoubt).map(({ id }) => id));
    const now = new Set(model.records.filter(isInDoubt).map(({ id }) => id));
    figures.inDoubt += [...now].filter((id) => !old.has(id)).length;
    figures.resolved += [...old].filter((id) => !now.has(id)).length;
    for (const resource of new Set(model.owners.values())) {
      const left = unrecorded(model, model.owners, resource);
      for (const id of left.slice(doubtsOf(model.records, resource).length)) {
        this.api.dashboard.delete(id);
        // Another record may have its id.
        model.gone.add(id);
      }
    }
    model.webhooks = this.webhooks();
    for (const id of model.owners.keys()) {
      if (!model.webhooks.has(id)) model.owners.delete(id);
    }
  }

  /** Notes the change in which the run was killed. The engine forgets that of an earlier run now. */
  #noteInterrupted(calls: readonly SentCall[], outcome: Outcome): void {
    const { model, figures } = this;
    const interrupted = model.lastInterrupted;
    model.lastInterrupted = outcome.interrupted;
    if (outcome.interrupted !== undefined) figures.killed++;
    if (interrupted === undefined || interrupted.id === outcome.interrupted?.id) return;
    const record = model.records.find(({ id }) => id === interrupted.id);
    const { unconfirmed, notFound } = record?.outputs ?? {};
    const isReached = unconfirmed === true || notFound === true || isUpdated(calls, interrupted.id);
    if (record === undefined || isReached) return;
    // A limit: if the run after the kill does not reach the webhook, nobody knows of the change any more.
    (model.webhooks.has(record.id) ? model.edited : model.gone).add(record.id);
  }

  /** Checks, after a clean up, that state and API hold the declared webhooks and no other of ours. */
  #checkDeclared(): void {
    const { program, records, webhooks, owners, gone, edited, imported, usesIdsAgain } = this.model;
    const wrong = (what: string) => new Violation(`After a clean up ${what}`);
    if (records.length !== program.size)
      throw wrong(`${records.length} are recorded, ${program.size} declared`);
    for (const [resource, declared] of program) {
      const { id, outputs, initErrors } = currentOf(records, resource) ?? {};
      if (id === undefined || outputs === undefined) throw wrong(`${resource} is not recorded`);
      if (initErrors?.length !== 0) throw wrong(`${resource} is recorded as failed: ${initErrors}`);
      const off = [...FIELDS, "secret" as const].filter((field) => declared[field] !== outputs[field]);
      if (off.length > 0) throw wrong(`another ${off} is recorded of ${resource} than declared`);
      const webhook = webhooks.get(id);
      // A limit: nothing is sent for a webhook that is declared again after a delete of unknown outcome.
      if (usesIdsAgain && webhook !== undefined && owners.get(id) !== resource) continue;
      if (webhook === undefined) {
        if (!gone.has(id)) throw wrong(`${resource} has no webhook ${id}`);
      } else if (!edited.has(id)) {
        const differs = FIELDS.filter((field) => declared[field] !== webhook[field]);
        if (differs.length > 0) throw wrong(`the API has another ${differs} of ${resource} than declared`);
        if (!imported.has(id) && declared.secret !== webhook.secret)
          throw wrong(`${resource} has another secret`);
      }
    }
    const recorded = new Set(records.map(({ id }) => id));
    const more = [...owners].filter(([id]) => !recorded.has(id));
    if (more.length > 0) throw wrong(`there is more than what is declared: ${more}`);
  }
}

export interface UpOptions extends Omit<Up, "program" | "settings"> {
  troubles?: readonly Trouble[];
  patience?: Patience;
}

/** A run of the engine, and what the model must know of it. */
interface Act {
  kind: Run["kind"];
  settings: Settings;
  /** The Providers that use these settings, and not those in the state. */
  given: ReadonlySet<ProviderName>;
  troubles?: readonly Trouble[];
  replace?: ReadonlySet<string>;
  repeatsCreates?: boolean;
}

const givenBy = (runProgram: boolean) => new Set(runProgram ? PROVIDERS : []);

interface OffOptions {
  troubles: readonly Trouble[];
  runProgram: boolean;
}
