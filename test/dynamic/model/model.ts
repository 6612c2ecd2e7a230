import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import type { Call, Simulator, StoredWebhook } from "../../../src/simulator/index.js";
import { startSimulator } from "../../../src/simulator/index.js";
import { histories, KEYS, RESOURCES, SECRETS } from "./commands.js";
import type { Declaration, Engine, Outcome, Recorded, Settings, Up } from "./engine.js";
import { ReenactedEngine } from "./engine.js";
import type { Surroundings, Trouble } from "./faults.js";
import type { Run } from "./invariants.js";
import {
  checkInvariants,
  currentOf,
  doubtsOf,
  FIELDS,
  isInDoubt,
  resourceOf,
  unrecorded,
  Violation,
} from "./invariants.js";

/** What a person knows: the program, the settings, and what the dashboard and the state show. */
export class Model {
  readonly program = new Map<string, Declaration>();
  key: string = KEYS[0];
  drift: Settings["drift"] = "off";
  /** What the API does with the fields that an update omits; undefined as long as nothing has depended on it. */
  omittedFields: "kept" | "cleared" | undefined;
  records: readonly Recorded[] = [];
  webhooks: ReadonlyMap<string, StoredWebhook> = new Map();
  /** Whose each webhook is: of the resource that it was created for, or adopted by. The others are strangers'. */
  readonly owners = new Map<string, string>();
  /** Adopted: what their secret is, nobody can know. */
  readonly adopted = new Set<string>();
  /** Edited in the dashboard and not updated since. */
  readonly edited = new Set<string>();
  /** Deleted in the dashboard, or by a delete without a reply, and possibly still recorded. */
  readonly gone = new Set<string>();

  /** Changes what the program declares of a resource. */
  change(resource: string, change: (old: Declaration) => Declaration): void {
    const old = this.program.get(resource);
    if (old !== undefined) this.program.set(resource, change(old));
  }

  isImported(id: string | undefined): boolean {
    return id !== undefined && [...this.program.values()].some((declaration) => declaration.import === id);
  }

  /** Whether the webhook of a resource is recorded, settled and there. */
  isHealthy(resource: string): boolean {
    const record = currentOf(this.records, resource);
    return record !== undefined && !record.pendingReplacement && this.webhooks.has(record.id);
  }

  /** Whether a name can be given to something new. */
  isUnused(resource: string): boolean {
    return !this.program.has(resource) && !this.records.some((record) => record.resource === resource);
  }

  /** The webhooks that nobody here has made or adopted, or is about to. */
  strangers(): string[] {
    return [...this.webhooks.keys()].filter((id) => !this.owners.has(id) && !this.isImported(id));
  }

  anyWebhook(nth: number): string {
    return [...this.webhooks.keys()][nth % this.webhooks.size] ?? "";
  }

  /** What is in doubt and waits for a person's decision. */
  inDoubt(): Recorded[] {
    return [...this.program.keys()]
      .map((resource) => currentOf(this.records, resource))
      .filter((record) => record !== undefined && isInDoubt(record) && !record.pendingReplacement)
      .filter((record) => record !== undefined);
  }

  isRecordedTwice(id: string | undefined): boolean {
    return this.records.filter((record) => record.id === id).length > 1;
  }

  /** The records that the program can be reverted to. */
  reverted(): Recorded[] {
    return this.records.filter(
      ({ id, delete: isOver }) =>
        !isOver &&
        !isInDoubt({ id }) &&
        !this.isImported(id) &&
        // A rename that is half done is brought to its end: two resources cannot own one webhook.
        !this.isRecordedTwice(id),
    );
  }

  /** The resources whose webhook is recorded and gone. */
  missing(): string[] {
    return [...this.program.keys()].filter((resource) => {
      const record = currentOf(this.records, resource);
      return record !== undefined && !isInDoubt(record) && !this.webhooks.has(record.id);
    });
  }

  /** Why an up cannot succeed, however well the API behaves. */
  obstacles(replace: ReadonlySet<string>): string[] {
    return [...this.program].flatMap(([resource, declared]) => {
      const obstacle = this.#obstacle(declared, currentOf(this.records, resource), replace.has(resource));
      return obstacle === undefined ? [] : [`${resource}: ${obstacle}`];
    });
  }

  #obstacle(declared: Declaration, old: Recorded | undefined, isTarget: boolean): string | undefined {
    const { import: id } = declared;
    const nothingToAdopt =
      id !== undefined && !this.webhooks.has(id) ? "there is nothing to adopt" : undefined;
    const isDeletedFirst = isTarget && old !== undefined && id === old.id && declared.deleteBeforeReplace;
    if (isDeletedFirst) return "it is to be deleted first, and adopted";
    if (old === undefined || isTarget) return nothingToAdopt;
    const hasOtherSecret = declared.secret !== old.outputs.secret;
    if (isInDoubt(old) && id !== undefined && hasOtherSecret) return "it was sent with another secret";
    if (isInDoubt(old))
      return id === undefined && !old.pendingReplacement ? "it is in doubt" : nothingToAdopt;
    if (id !== undefined && id !== old.id) return "it is another webhook than the one to adopt";
    if (hasOtherSecret) return id === undefined ? undefined : "it is imported and has a new secret";
    if (old.pendingReplacement) return nothingToAdopt;
    const differs = FIELDS.some((field) => declared[field] !== old.outputs[field]);
    const { changedOutsidePulumi, unconfirmed } = old.outputs;
    const isUpdated = differs || old.initErrors.length > 0 || changedOutsidePulumi || unconfirmed;
    return isUpdated && !this.webhooks.has(old.id) ? "it is gone" : undefined;
  }
}

function showRecord(record: Recorded): string {
  const marks = [record.delete && "to delete", record.pendingReplacement && "to replace"].filter(Boolean);
  return [`${record.resource}=${record.id}`, ...marks].join(" ");
}

/** What was done and seen, over all histories. */
export interface Figures {
  /** Commands that were carried out. */
  steps: number;
  /** Runs of the engine among them, with the previews after each clean one. */
  runs: number;
  /** Requests that the API saw. */
  requests: number;
  /** Calls that went wrong, by what the simulator did to them. */
  faults: Record<string, number>;
  inDoubt: number;
  /** Of those in doubt: adopted, created anew, or looked for after they were dropped. */
  settled: number;
  /** Always 0: the first one ends everything. */
  doubled: 0;
  lost: 0;
}

export function noFigures(): Figures {
  return { steps: 0, runs: 0, requests: 0, faults: {}, inDoubt: 0, settled: 0, doubled: 0, lost: 0 };
}

export interface Options {
  engine: (api: Simulator) => Engine;
  api: Simulator;
  figures: Figures;
  /** How long the provider waits, in each kind of run. */
  patience?: Record<Patience, Pick<Settings, "timeoutSeconds" | "deadlineSeconds">>;
}

/** Without troubles the API is waited for as long as it takes. */
type Patience = "calm" | "short" | "long";

const PATIENCE: NonNullable<Options["patience"]> = {
  calm: { timeoutSeconds: 30, deadlineSeconds: 60 },
  short: { timeoutSeconds: 0.1, deadlineSeconds: 0.1 },
  long: { timeoutSeconds: 0.1, deadlineSeconds: 0.9 },
};

/** The API, another account's API, and an engine that the person of the model uses. */
export class World {
  readonly model = new Model();
  readonly api: Simulator;
  readonly figures: Figures;
  readonly #engine: Engine;
  readonly #other: Simulator;
  readonly #options: Options;
  readonly #story: string[] = [];
  /** Calls that are over. */
  #ended = 0;
  /** The settings in the state: what a run without the program uses. */
  #recorded: Settings | undefined;

  private constructor(options: Options, other: Simulator) {
    this.#options = options;
    this.api = options.api;
    this.figures = options.figures;
    this.#engine = options.engine(options.api);
    this.#other = other;
    this.api.onCall = () => {
      this.#ended++;
    };
  }

  static async create(options: Options): Promise<World> {
    const other = await startSimulator({ apiKey: options.api.apiKey });
    // With the ids that the first webhooks of the model have.
    for (const name of RESOURCES) other.dashboard.create({ name, url: "https://example.com/other" });
    return new World(options, other);
  }

  close(): Promise<void> {
    return this.#other.close();
  }

  /** A command is carried out. */
  note(command: string): void {
    this.figures.steps++;
    this.#story.push(command);
  }

  /** What happened last, for the reader of a failure: what came of each run, and what was recorded then. */
  story(): string {
    return this.#story.slice(-20).join("\n");
  }

  webhooks(): ReadonlyMap<string, StoredWebhook> {
    return new Map(this.api.webhooks.map((webhook) => [webhook.id, webhook]));
  }

  async up({ troubles = [], patience = "short", parallel, replace = new Set() }: UpOptions): Promise<void> {
    const { model } = this;
    const settings = this.#settings(troubles, patience);
    const up: Up = { program: model.program, settings, ...(parallel !== undefined && { parallel }) };
    const obstacles = model.obstacles(replace);
    const isMissing = model.missing().length > 0;
    const act: Act = { kind: "up", settings, usesGiven: model.program.size > 0, troubles, replace };
    const { outcome, used } = await this.#run(act, () => this.#engine.up({ ...up, replace }));
    if (obstacles.length > 0 && outcome.ok) throw new Violation(`The up succeeded, although ${obstacles}`);
    const isRight = used.apiKey === this.api.apiKey && used.baseUrl === this.api.url;
    if (troubles.length > 0 || obstacles.length > 0 || !isRight) return;
    // Where the last update of one that is gone has failed, this up has to send it again, and fails too.
    if (!outcome.ok && isMissing) return;
    if (!outcome.ok) throw new Violation(`An up without troubles failed: ${outcome.lines.join(" | ")}`);
    this.#checkDeclared();
    for (const _twice of [1, 2]) {
      const { outcome: plan } = await this.#run({ ...act, kind: "preview" }, () => this.#engine.preview(up));
      if (plan.ok && plan.changes === 0) continue;
      throw new Violation(`A clean up left a plan: ${plan.lines.join(" | ")}`);
    }
  }

  async upElsewhere(): Promise<void> {
    const settings = { ...this.#settings([]), baseUrl: this.#other.url };
    const before = JSON.stringify(this.model.records);
    const up = { program: this.model.program, settings };
    const { outcome } = await this.#run({ kind: "up", settings, usesGiven: true }, () => this.#engine.up(up));
    if (outcome.ok) throw new Violation("An up with another account's URL succeeded.");
    if (JSON.stringify(this.model.records) !== before) throw new Violation("It changed the state.");
  }

  async refresh({ troubles, runProgram }: OffOptions): Promise<void> {
    const settings = this.#settings(troubles);
    const act: Act = { kind: "refresh", settings, usesGiven: runProgram, troubles };
    await this.#run(act, () => this.#engine.refresh({ settings, runProgram }));
  }

  async destroy({ troubles, runProgram }: OffOptions): Promise<void> {
    const settings = this.#settings(troubles);
    const act: Act = { kind: "destroy", settings, usesGiven: runProgram, troubles };
    const { outcome } = await this.#run(act, () => this.#engine.destroy({ settings, runProgram }));
    if (!outcome.ok) return;
    const { records, owners } = this.model;
    if (records.length > 0 || owners.size > 0) throw new Violation(`A destroy left ${[...owners]}`);
  }

  #settings(troubles: readonly Trouble[], patience: Patience = "short"): Settings {
    const { key: apiKey, drift } = this.model;
    const waits = (this.#options.patience ?? PATIENCE)[troubles.length === 0 ? "calm" : patience];
    return { apiKey, baseUrl: this.api.url, drift, ...waits };
  }

  /** Runs the engine, looks at what came of it, and does what the person does who has read the output. */
  async #run(act: Act, run: () => Promise<Outcome>): Promise<{ outcome: Outcome; used: Settings }> {
    const { model, api, figures } = this;
    const { kind, settings, usesGiven, troubles = [], replace = new Set() } = act;
    const used = usesGiven ? settings : (this.#recorded ?? settings);
    if (kind !== "preview") this.#recorded = used;

    const before = { records: model.records, webhooks: this.webhooks() };
    const surroundings = this.#surroundings(used.apiKey);
    for (const rule of troubles.flatMap(({ rules }) => rules(surroundings))) api.inject(rule);
    const outcome = await run();
    api.clearFaults();
    const calls = await this.#takeCalls();
    const after = { records: await this.#engine.records(), webhooks: this.webhooks() };

    figures.runs++;
    figures.requests += calls.length;
    for (const { fault } of calls) {
      if (fault !== undefined) figures.faults[fault] = (figures.faults[fault] ?? 0) + 1;
    }
    model.records = after.records;
    model.webhooks = after.webhooks;
    this.#giveOwners(before.webhooks, replace);
    const shown = after.records.map(showRecord).join(", ");
    this.#story.push(
      `  ${kind} ${outcome.ok ? "done" : "failed"}: ${shown}; at the API ${[...after.webhooks.keys()]}`,
    );
    const probes = used.drift === "probe";
    const { program, owners } = model;
    checkInvariants({ kind, program, replace, probes, before, after, calls, outcome, owners });
    if (this.#other.calls.length > 0) throw new Violation("Another account's API was asked.");
    this.#take({ before, calls, outcome, replace });
    return { outcome, used };
  }

  #surroundings(key: string): Surroundings {
    const { model } = this;
    return {
      key,
      otherUrl: this.#other.url,
      secrets: SECRETS,
      secretOf: ({ url, webhookId }) => {
        const resource = resourceOf(url);
        if (resource !== undefined) return model.program.get(resource)?.secret;
        // A webhook may be recorded twice, with two secrets: whose record the call is about cannot be seen.
        const [record, another] = model.records.filter(({ id }) => id === webhookId);
        const secret = another === undefined ? record?.outputs.secret : undefined;
        return typeof secret === "string" ? secret : undefined;
      },
    };
  }

  /** Waits until all calls are over, also those that the provider has given up, and forgets them. */
  async #takeCalls(): Promise<Call[]> {
    // One that was given up before the simulator has accepted its connection takes some turns to appear.
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

  /** Notes whose the webhooks are that the run created or adopted. */
  #giveOwners(before: ReadonlyMap<string, StoredWebhook>, replace: ReadonlySet<string>): void {
    const { model } = this;
    for (const [id, { url }] of model.webhooks) {
      const resource = resourceOf(url);
      if (!before.has(id) && resource !== undefined) model.owners.set(id, resource);
    }
    for (const { id, resource, inputs } of model.records) {
      if (inputs.import !== id || !model.webhooks.has(id)) continue;
      // One that was in doubt, and found, is its resource's own, and has the secret that it was sent with.
      if (model.owners.get(id) === resource && !replace.has(resource)) continue;
      model.owners.set(id, resource);
      model.adopted.add(id);
    }
  }

  /** Takes note of the rest. What was dropped in doubt, with a warning, is looked for and deleted. */
  #take({ before, calls, outcome, replace }: Pick<Run, "before" | "calls" | "outcome" | "replace">): void {
    const { model, figures } = this;
    for (const { operation, committed, body } of calls) {
      const { url, webhook_id: id } = Object(body);
      if (operation === "update" && committed && url !== undefined) {
        // A limit: an adoption that failed may have changed what an older record still holds as it was.
        const isAdoption = ![...model.program.keys()].some(
          (name) => currentOf(before.records, name)?.id === id && !replace.has(name),
        );
        if (isAdoption && !outcome.ok) model.edited.add(id);
        else model.edited.delete(id);
      }
      if (operation === "delete" && committed && !outcome.ok) model.gone.add(id);
    }
    const old = new Set(before.records.filter(isInDoubt).map(({ id }) => id));
    const now = new Set(model.records.filter(isInDoubt).map(({ id }) => id));
    figures.inDoubt += [...now].filter((id) => !old.has(id)).length;
    figures.settled += [...old].filter((id) => !now.has(id)).length;
    for (const resource of new Set(model.owners.values())) {
      const left = unrecorded(model, model.owners, resource);
      for (const id of left.slice(doubtsOf(model.records, resource).length)) {
        this.api.dashboard.delete(id);
      }
    }
    model.webhooks = this.webhooks();
    for (const id of model.owners.keys()) {
      if (!model.webhooks.has(id)) model.owners.delete(id);
    }
  }

  /** After an up in which nothing went wrong, state and API hold what is declared, and nothing else of ours. */
  #checkDeclared(): void {
    const { program, records, webhooks, owners, gone, edited, adopted } = this.model;
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
      if (webhook === undefined) {
        if (!gone.has(id)) throw wrong(`${resource} has no webhook ${id}`);
      } else if (!edited.has(id)) {
        const differs = FIELDS.filter((field) => declared[field] !== webhook[field]);
        if (differs.length > 0) throw wrong(`the API has another ${differs} of ${resource} than declared`);
        if (!adopted.has(id) && declared.secret !== webhook.secret)
          throw wrong(`${resource} has another secret`);
      }
    }
    const recorded = new Set(records.map(({ id }) => id));
    const more = [...owners].filter(([id]) => !recorded.has(id));
    if (more.length > 0) throw wrong(`there is more than what is declared: ${more}`);
  }
}

export interface UpOptions {
  troubles?: readonly Trouble[];
  patience?: Patience;
  parallel?: number;
  replace?: ReadonlySet<string>;
}

/** A run of the engine, as it is told to the model. */
interface Act {
  kind: Run["kind"];
  settings: Settings;
  /** Whether it uses these settings, and not those in the state. */
  usesGiven: boolean;
  troubles?: readonly Trouble[];
  replace?: ReadonlySet<string>;
}

interface OffOptions {
  troubles: readonly Trouble[];
  runProgram: boolean;
}

export interface ModelOptions {
  /** At least so many commands are carried out. */
  steps: number;
  /** The same seed makes the same histories. What the clock decides, such as a time-out, may differ. */
  seed: number;
  /** How many histories go on beside each other. Default 12: while some wait for time-outs, others run. */
  beside?: number;
  onProgress?: (figures: Figures) => void;
}

/** The length of a history: long enough for a mistake to be followed by others, short enough to be read. */
const COMMANDS = 200;
const HISTORIES_PER_SEED = 2;
const SHRINKING_MILLISECONDS = 180_000;

/**
 * Lets random histories happen until they have so many steps, and looks after each step whether all promises hold.
 *
 * @throws an error with the seed and the shortest history found that breaks a promise.
 */
export async function runModel({ steps, seed, beside = 12, onProgress }: ModelOptions): Promise<Figures> {
  const figures = noFigures();
  let next = seed;
  /** The first seed that breaks a promise: the other histories end, and this one is made shorter. */
  let broken: number | undefined;

  const work = async () => {
    while (figures.steps < steps && broken === undefined) {
      const own = next++;
      const property = history(figures, {
        isOver: () => broken !== undefined && broken !== own,
        onBroken: () => {
          broken ??= own;
        },
      });
      const parameters = {
        seed: own,
        numRuns: HISTORIES_PER_SEED,
        interruptAfterTimeLimit: SHRINKING_MILLISECONDS,
      };
      const result = await fc.check(property, parameters);
      onProgress?.(figures);
      if (!result.failed || broken !== own) continue;
      const report = await fc.asyncDefaultReportMessage(result);
      throw new Error(`MODEL_SEED=${own} breaks a promise.\n${result.errorInstance}\n${report}`);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: beside }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return figures;
}

/** Each history in a world of its own, on the re-enacted engine. */
function history(figures: Figures, { isOver, onBroken }: { isOver: () => boolean; onBroken: () => void }) {
  return fc.asyncProperty(histories(COMMANDS), async (commands) => {
    if (isOver()) return;
    const api = await startSimulator({ apiKey: KEYS[0] });
    const world = await World.create({ engine: () => new ReenactedEngine(), api, figures });
    try {
      await fc.asyncModelRun(() => ({ model: world.model, real: world }), commands);
    } catch (error) {
      if (!isOver()) onBroken();
      throw new Error(`${error}\nWhat happened last:\n${world.story()}`);
    } finally {
      await Promise.all([world.close(), api.close()]);
    }
  });
}
