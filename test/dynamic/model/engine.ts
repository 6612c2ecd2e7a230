import { setImmediate as turn } from "node:timers/promises";
import type { dynamic } from "@pulumi/pulumi";
import type { EngineLog } from "../../../src/dynamic/log.js";
import { WebhookProvider } from "../../../src/dynamic/webhook-provider.js";
import { serializedProvider } from "../../../src/serialized-provider.js";

/** Inputs and outputs as they travel between engine and provider. */
export type Properties = Record<string, unknown>;

/** A webhook as the program declares it. */
export interface Declaration {
  url: string;
  name: string;
  enabled: boolean;
  secret?: string;
  import?: string;
  deleteBeforeReplace?: boolean;
}

/** A record in the stack's state. */
export interface Recorded {
  /** The resource's logical name. Records that wait for their deletion share it with the one that replaced them. */
  readonly resource: string;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** Not empty: a create or an update that failed and was recorded all the same; the next up calls update. */
  readonly initErrors: readonly string[];
  /** It was replaced, and is still to be deleted. */
  readonly delete: boolean;
  /** It was deleted to be replaced, and its replacement was not created yet. */
  readonly pendingReplacement: boolean;
}

/** What a run of the provider is told in its settings. */
export interface Settings {
  apiKey: string;
  baseUrl: string;
  drift: "off" | "probe";
  timeoutSeconds: number;
  deadlineSeconds: number;
}

export interface Up {
  /** The program: what it declares, by logical name. */
  program: ReadonlyMap<string, Declaration>;
  settings: Settings;
  /** The resources named with `--replace`. */
  replace?: ReadonlySet<string>;
  /** Default: as many as there are. */
  parallel?: number;
}

/** A run without the program, which uses the settings of the last up, unless it has `--run-program`. */
export interface Off {
  settings: Settings;
  runProgram: boolean;
}

/** How a run ended, and every line that a user reads of it. */
export interface Outcome {
  ok: boolean;
  /** How many webhooks the run changes, or, in a preview, would change. */
  changes: number;
  lines: readonly string[];
}

/** What drives the provider: this file's re-enactment, or, in test/engine, the Pulumi CLI itself. */
export interface Engine {
  up(up: Up): Promise<Outcome>;
  /** Says what an up would do, and does nothing. */
  preview(up: Up): Promise<Outcome>;
  refresh(off: Off): Promise<Outcome>;
  destroy(off: Off): Promise<Outcome>;
  records(): Promise<readonly Recorded[]>;
}

/**
 * How Pulumi's engine drives a dynamic provider, without the engine: fast enough for a million steps.
 *
 * It stands in for nothing: that the real engine does the same is what the tests in test/engine are for, and the same
 * histories run there too. It re-enacts, in the terms of Pulumi's step_generator.go, step.go and the SDK's
 * cmd/dynamic-provider: check and diff one resource after another, steps beside each other; nothing new is begun once a
 * step failed; deletes come last and only if all went well; what is recorded of each success and each failure.
 */
export class ReenactedEngine implements Engine {
  #records: State[] = [];
  /** Of the provider as the state holds it: what runs without a program use. */
  #settings: Settings | undefined;

  async up(up: Up): Promise<Outcome> {
    const run = this.#start(up);
    if (up.program.size > 0) this.#settings = up.settings;
    const previous = [...this.#records];
    await this.#register(run, up, (chain) => run.begin(chain));
    await run.finished();
    if (!run.failed) {
      for (const old of this.#obsolete(previous, up)) run.begin([this.#delete(run, old)]);
      await run.finished();
    }
    return run.outcome();
  }

  async preview(up: Up): Promise<Outcome> {
    const run = this.#start(up);
    let changes = this.#obsolete(this.#records, up).length;
    await this.#register(run, up, (chain) => {
      if (!chain.includes(this.#same)) changes++;
    });
    return { ...run.outcome(), changes };
  }

  async refresh(off: Off): Promise<Outcome> {
    const run = this.#startOff(off);
    await Promise.all(
      this.#records
        .filter(({ pendingReplacement }) => !pendingReplacement)
        .map(async (old) => {
          try {
            const { inputs } = old;
            const { id, properties, inputs: read = inputs } = await run.provider.read(old);
            if (id === "") return this.#remove(old);
            Object.assign(old, { id, inputs: read, outputs: properties, initErrors: [] });
            // What the refresh shows; it also fails where diff refuses, although the record is refreshed by then.
            await run.provider.diff(old, inputs);
          } catch (error) {
            run.fail(error);
          }
        }),
    );
    return run.outcome();
  }

  async destroy(off: Off): Promise<Outcome> {
    const run = this.#startOff(off);
    for (const old of [...this.#records]) run.begin([this.#delete(run, old)]);
    await run.finished();
    return run.outcome();
  }

  async records(): Promise<readonly Recorded[]> {
    return structuredClone(this.#records);
  }

  #start({ program, settings, parallel }: Up): Run {
    return new Run(program.size > 0 ? settings : this.#effective(settings), parallel);
  }

  #startOff({ settings, runProgram }: Off): Run {
    if (runProgram) this.#settings = settings;
    return new Run(this.#effective(settings));
  }

  /** The deadlines are the test's own affair: it is the key, the address and drift that the state remembers. */
  #effective(settings: Settings): Settings {
    const { apiKey, baseUrl, drift } = this.#settings ?? settings;
    return { ...settings, apiKey, baseUrl, drift };
  }

  /** Finds out, one resource after another, what is to be done with each. */
  async #register(run: Run, up: Up, then: (chain: Step[]) => void): Promise<void> {
    for (const [resource, declaration] of up.program) {
      if (run.failed) return;
      try {
        then(await this.#plan(run, resource, declaration, up.replace?.has(resource) ?? false));
        // Steps that were begun go on meanwhile, and may fail.
        await turn();
      } catch (error) {
        run.fail(error);
      }
    }
  }

  async #plan(run: Run, resource: string, declaration: Declaration, isTarget: boolean): Promise<Step[]> {
    const { deleteBeforeReplace, ...declared } = declaration;
    const news = { ...declared, __provider: serializedProvider };
    const old = this.#records.find((record) => record.resource === resource && !record.delete);
    const inputs = await run.provider.check(old === undefined || isTarget ? {} : old.inputs, news);
    if (old === undefined) return [this.#create(run, resource, inputs)];

    const { changes, replaces = [] } = isTarget
      ? { changes: true, replaces: ["id"] }
      : await run.provider.diff(old, inputs);
    if ((changes && replaces.length > 0) || old.pendingReplacement) {
      const anew = isTarget ? inputs : await run.provider.check({}, news);
      if (!deleteBeforeReplace) return [this.#create(run, resource, anew, old, { thenDelete: true })];
      const create = this.#create(run, resource, anew, old, { thenDelete: false });
      return old.pendingReplacement ? [create] : [this.#delete(run, old, { toReplace: true }), create];
    }
    if (changes || old.initErrors.length > 0) return [this.#update(run, old, inputs)];
    old.inputs = inputs;
    return [this.#same];
  }

  /** What is to be deleted when everything else went well. */
  #obsolete(previous: readonly State[], { program }: Up): State[] {
    return previous.filter((old) => old.delete || !program.has(old.resource));
  }

  readonly #same: Step = async () => {};

  #create(
    run: Run,
    resource: string,
    inputs: Properties,
    old?: State,
    { thenDelete = false }: { thenDelete?: boolean } = {},
  ): Step {
    return async () => {
      const { id, properties, failure } = await run.provider.create(inputs);
      run.changes++;
      const record = { resource, id, inputs, outputs: properties, initErrors: failure?.reasons ?? [] };
      this.#records.push({ ...record, delete: false, pendingReplacement: false });
      if (old !== undefined && thenDelete) old.delete = true;
      if (old?.pendingReplacement) this.#remove(old);
      if (failure !== undefined) throw failure;
    };
  }

  #update(run: Run, old: State, inputs: Properties): Step {
    return async () => {
      const { properties, failure } = await run.provider.update(old, inputs);
      run.changes++;
      Object.assign(old, { inputs, outputs: properties, initErrors: failure?.reasons ?? [] });
      if (failure !== undefined) throw failure;
    };
  }

  #delete(run: Run, old: State, { toReplace = false }: { toReplace?: boolean } = {}): Step {
    return async () => {
      // One that was deleted to be replaced, and then left the program, is only forgotten.
      if (old.delete || !old.pendingReplacement) await run.provider.delete(old);
      run.changes++;
      if (toReplace) old.pendingReplacement = true;
      else this.#remove(old);
    };
  }

  #remove(old: State): void {
    this.#records = this.#records.filter((record) => record !== old);
  }
}

type State = { -readonly [Field in keyof Recorded]: Recorded[Field] };
type Step = () => Promise<void>;

/** One run of the engine: its provider process, its workers, what it printed, and whether it has failed. */
class Run {
  readonly provider: ProviderProcess;
  failed = false;
  changes = 0;
  readonly #lines: string[] = [];
  readonly #chains: Promise<void>[] = [];
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(settings: Settings, parallel = Number.POSITIVE_INFINITY) {
    this.#free = parallel;
    const print = (line: string) => void this.#lines.push(line);
    this.provider = new ProviderProcess(settings, { warn: print, progress: print });
  }

  /** Does steps one after another, as soon as a worker is free; none is begun once a step of the run has failed. */
  begin(chain: readonly Step[]): void {
    this.#chains.push(this.#work(chain));
  }

  async finished(): Promise<void> {
    await Promise.all(this.#chains);
  }

  fail(error: unknown): void {
    this.failed = true;
    const { message, stack, reasons = [] } = error as Error & { reasons?: string[] };
    this.#lines.push(message, `${error}: ${stack}`, ...reasons);
  }

  outcome(): Outcome {
    return { ok: !this.failed, changes: this.changes, lines: this.#lines };
  }

  async #work(chain: readonly Step[]): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      for (const step of chain) {
        if (this.failed) return;
        await step();
      }
    } catch (error) {
      this.fail(error);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/** A create or an update that was recorded: succeeded or, with a failure, recorded under the id that its error gave. */
interface Result {
  id: string;
  properties: Properties;
  failure?: PartialFailure;
}

type PartialFailure = Error & { id: string; properties: Properties; reasons: string[] };

/**
 * The process that the SDK runs a provider in, `cmd/dynamic-provider`: everything crosses a wire there, and
 * `__provider` is put back into results, but not into the properties of an error.
 */
class ProviderProcess {
  readonly #provider: WebhookProvider;

  constructor(settings: Settings, log: EngineLog) {
    this.#provider = new WebhookProvider(log);
    const config = Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [`webhooks:${key}`, `${value}`]),
    );
    const get = (key: string) => config[key];
    this.#provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
  }

  async check(olds: Properties, news: Properties): Promise<Properties> {
    const { inputs, failures = [] } = await this.#provider.check(sent(olds), sent(news));
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
    return sent({ ...(inputs ?? news), __provider: news.__provider });
  }

  diff({ id, outputs }: Recorded, news: Properties): Promise<dynamic.DiffResult> {
    return this.#provider.diff(id, sent(outputs), sent(news));
  }

  async create(inputs: Properties): Promise<Result> {
    try {
      const { id, outs } = await this.#provider.create(sent(inputs));
      return { id: checkedId(id), properties: sent({ ...outs, __provider: inputs.__provider }) };
    } catch (error) {
      return recordedFailure(error);
    }
  }

  async update({ id, outputs }: Recorded, inputs: Properties): Promise<Result> {
    try {
      const { outs } = await this.#provider.update(id, sent(outputs), sent(inputs));
      return { id, properties: sent({ ...outs, __provider: inputs.__provider }) };
    } catch (error) {
      return recordedFailure(error);
    }
  }

  async read({
    id,
    outputs,
  }: Recorded): Promise<{ id: string; properties: Properties; inputs?: Properties }> {
    const { id: readId = "", props, inputs } = await this.#provider.read(id, sent(outputs));
    const { __provider } = outputs;
    return {
      id: readId,
      properties: sent({ ...props, __provider }),
      ...(inputs !== undefined && { inputs: sent({ ...inputs, __provider }) }),
    };
  }

  async delete({ id, outputs }: Recorded): Promise<void> {
    if (outputs.__provider !== serializedProvider) throw new Error("code must be a string");
    await this.#provider.delete(id, sent(outputs));
  }
}

/** What arrives of properties on the other side. The wire knows no undefined, and refuses it. */
function sent(properties: Properties): Properties {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) throw new Error(`Unexpected struct type: ${key} is undefined`);
  }
  return structuredClone(properties);
}

function checkedId(id: unknown): string {
  if (typeof id !== "string" || id === "") throw new Error("provider did not return an ID from Create");
  return id;
}

function recordedFailure(error: unknown): Result {
  const failure = error as PartialFailure;
  if (!(error instanceof Error) || !failure.id) throw error;
  return { id: failure.id, properties: sent(failure.properties), failure };
}
