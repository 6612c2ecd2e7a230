import { setImmediate as turn } from "node:timers/promises";
import type { Call } from "../../../src/simulator/index.js";
import type { Declared } from "../../../src/stack/hidden-properties.js";
import { DECLARED_SECRET, KEY, writeDeclared } from "../../../src/stack/hidden-properties.js";
import type { Holder } from "../../../src/stack/past.js";
import { RecordedStack } from "../../../src/stack/recorded-stack.js";
import { serializedProvider } from "../../../src/stack/serialized-provider.js";
import { WEBHOOK_TYPE } from "../../../src/stack/stack-export.js";
import type { Result } from "./provider-process.js";
import { ProviderProcess } from "./provider-process.js";
import { sendAs, senderOf } from "./sender.js";

/** Inputs and outputs as they travel between engine and provider. */
export type Properties = Record<string, unknown>;

/** The Providers of the account: the default one, and one that the program declares. Each is a process of its own. */
export const PROVIDERS = ["default", "own"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** A webhook as the program declares it. */
export interface Declaration {
  provider: ProviderName;
  url: string;
  name: string;
  enabled: boolean;
  secret?: string;
  import?: string;
  deleteBeforeReplace?: boolean;
  alias?: Alias;
}

/** The name that a resource had before. */
export interface Alias {
  name: string;
  /** Whether the resource's own options name it, or a transformation adds it, which the program's resource does not see. */
  by: "options" | "transformation";
}

/**
 * The SDKs that go on in different ways after a failed step with `--continue-on-error`. With the older one the program ends
 * well, and deletes follow. With the newer one it fails, after all resources were registered.
 */
export const SDKS = ["3.250", "3.260"] as const;
export type Sdk = (typeof SDKS)[number];

/** A resource as the stack's state records it. */
export interface Recorded {
  /** The resource's logical name. A replaced record keeps it until it is deleted. */
  readonly resource: string;
  /** The Provider that manages it. */
  readonly provider: ProviderName;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** If not empty, its last create or update failed and was recorded; the next up calls update. */
  readonly initErrors: readonly string[];
  /** Whether it was replaced and waits for its deletion. */
  readonly delete: boolean;
  /** Whether it was deleted for a replacement that does not exist yet. */
  readonly pendingReplacement: boolean;
}

/** The provider's settings in a run. */
export interface Settings {
  apiKey: string;
  baseUrl: string;
  drift: "off" | "probe";
  timeoutSeconds: number;
  deadlineSeconds: number;
}

export interface Up {
  /** The program's declarations, by logical name. */
  program: ReadonlyMap<string, Declaration>;
  settings: Settings;
  /** The resources named with `--replace`. */
  replace?: ReadonlySet<string>;
  /** Default: no limit. */
  parallel?: number;
  /** Whether the run goes on after a failure, as with `--continue-on-error`. */
  continueOnError?: boolean;
  /** Default: the older one. */
  sdk?: Sdk;
  /** Whether an error hook of the program asks the engine to repeat a failed create once. */
  repeatsCreates?: boolean;
  /** The run is killed in one of its updates and deletes. Default: it is not. */
  kill?: Kill | undefined;
}

/** The end of a run by a kill of the engine and of all that it started. */
export interface Kill {
  /** The update or delete in which it happens, of those that begin: from 0. */
  nth: number;
  /** Whether the request was sent before. */
  isSent: boolean;
}

/** A refresh or a destroy, which uses the settings of the last up, unless it has `--run-program`. */
export interface WithoutProgram {
  settings: Settings;
  runProgram: boolean;
  /** Of a destroy only. */
  kill?: Kill | undefined;
}

/** The result of a run, and every line that a user reads. */
export interface Outcome {
  ok: boolean;
  /** The number of webhooks that the run changed; in a preview, would change. */
  changes: number;
  lines: readonly string[];
  /** The webhooks whose delete failed, and not for lack of time. Undefined if the engine does not show that. */
  notDeleted?: readonly string[];
  /** The change in which the run was killed. */
  interrupted?: InterruptedChange | undefined;
}

/** An update or a delete in which an engine was killed. The state shows it until the next run ends. */
export interface InterruptedChange {
  type: "updating" | "deleting";
  resource: string;
  /** The logical name of its record, if the update renames it. */
  alias?: string;
  id: string;
}

/** An engine that drives the provider: the one in this file or, in test/engine, the Pulumi CLI. */
export interface Engine {
  up(up: Up): Promise<Outcome>;
  /** Plans an up. */
  preview(up: Up): Promise<Outcome>;
  refresh(run: WithoutProgram): Promise<Outcome>;
  destroy(run: WithoutProgram): Promise<Outcome>;
  records(): Promise<readonly Recorded[]>;
  /** Returns the name of the resource that sent a request, if the engine can say that. */
  senderOf(call: Call): string | undefined;
  /** Whether it can say that of requests with the same body, too. */
  readonly knowsTwins: boolean;
  /** Whether its runs can be killed. */
  readonly canBeKilled: boolean;
}

/**
 * Drives a dynamic provider as Pulumi's engine does, fast enough for a million steps.
 *
 * It replaces no test on the real engine: test/engine runs the same histories there. It follows Pulumi's
 * step_generator.go and step.go, and the SDK's cmd/dynamic-provider: check and diff run for one resource at a time, and
 * steps concurrently; no step starts after one has failed; deletes come last, and only if all other steps succeeded. With
 * `--continue-on-error` steps go on after a failed step, and so do deletes, if the program ends without an error of its
 * own. A failed check or diff ends the run all the same.
 */
export class ModelEngine implements Engine {
  readonly knowsTwins = true;
  readonly canBeKilled = true;
  readonly senderOf = senderOf;
  #records: State[] = [];
  /** The change in which the last run was killed. The engine forgets it when the next run saves the state. */
  #interrupted: InterruptedChange | undefined;
  /** The settings in the state, for runs without the program. */
  readonly #settings = new Map<ProviderName, Settings>();

  async up(up: Up): Promise<Outcome> {
    const run = this.#start(up);
    for (const provider of registered(up.program)) this.#settings.set(provider, up.settings);
    const previous = [...this.#records];
    await this.#register(run, up, ({ steps }) => run.begin(steps));
    await run.finished();
    if (!run.isStopped && !run.programFailed) {
      for (const old of this.#obsolete(previous, up)) run.begin([this.#delete(run, old)]);
      await run.finished();
    }
    return this.#end(run);
  }

  async preview(up: Up): Promise<Outcome> {
    const run = this.#start(up);
    let changes = this.#obsolete(this.#records, up).length;
    await this.#register(run, up, (plan) => {
      if (plan.changes) changes++;
    });
    return { ...run.outcome(), changes };
  }

  async refresh(options: WithoutProgram): Promise<Outcome> {
    const run = this.#startWithoutProgram(options);
    await Promise.all(
      this.#records
        .filter(({ pendingReplacement }) => !pendingReplacement)
        .map(async (old) => {
          try {
            const { inputs } = old;
            const process = run.process(old.provider);
            const reading = sendAs(old.resource, () => process.read(old));
            const { id, properties, inputs: read = inputs } = await reading;
            if (id === "") return this.#remove(old);
            Object.assign(old, { id, inputs: read, outputs: properties, initErrors: [] });
            // The engine shows this difference. If diff throws, the refresh fails, but the record is refreshed.
            await process.diff(old, inputs);
          } catch (error) {
            run.fail(error);
          }
        }),
    );
    return this.#end(run);
  }

  async destroy(options: WithoutProgram): Promise<Outcome> {
    const run = this.#startWithoutProgram(options);
    for (const old of [...this.#records]) run.begin([this.#delete(run, old)]);
    await run.finished();
    return this.#end(run);
  }

  #end(run: Run): Outcome {
    const outcome = run.outcome();
    this.#interrupted = outcome.interrupted;
    return outcome;
  }

  async records(): Promise<readonly Recorded[]> {
    return structuredClone(this.#records);
  }

  #start({ program, settings, ...options }: Up): Run {
    const given = registered(program);
    return new Run(
      (provider) => (given.has(provider) ? settings : this.#recorded(provider, settings)),
      options,
    );
  }

  #startWithoutProgram({ settings, runProgram, kill }: WithoutProgram): Run {
    if (runProgram) for (const provider of PROVIDERS) this.#settings.set(provider, settings);
    return new Run((provider) => this.#recorded(provider, settings), { kill });
  }

  /** Returns the settings in the state, but with the deadlines of this test. */
  #recorded(provider: ProviderName, settings: Settings): Settings {
    const { apiKey, baseUrl, drift } = this.#settings.get(provider) ?? settings;
    return { ...settings, apiKey, baseUrl, drift };
  }

  /** Plans the steps of one resource after another. */
  async #register(run: Run, up: Up, then: (plan: Plan) => void): Promise<void> {
    for (const [resource, declaration] of up.program) {
      if (run.isStopped) return;
      try {
        then(await this.#plan(run, resource, declaration, up.replace?.has(resource) ?? false));
        // The steps that have started go on meanwhile, and may fail.
        await turn();
      } catch (error) {
        run.stop(error);
      }
    }
  }

  async #plan(run: Run, resource: string, declaration: Declaration, isTarget: boolean): Promise<Plan> {
    const { deleteBeforeReplace, provider, alias, ...declared } = declaration;
    const process = run.process(provider);
    const hidden = this.#hiddenInputs(run, resource, declaration);
    const news = { ...declared, ...hidden, __provider: serializedProvider };
    const old = this.#current(resource) ?? this.#current(alias?.name);
    const inputs = await process.check(old === undefined || isTarget ? {} : old.inputs, news);
    const created = { resource, provider, inputs };
    if (old === undefined) return { changes: true, steps: [this.#create(run, created)] };

    const { changes, replaces = [] } = isTarget
      ? { changes: true, replaces: ["id"] }
      : await process.diff(old, inputs);
    if ((changes && replaces.length > 0) || old.pendingReplacement) {
      created.inputs = isTarget ? inputs : await process.check({}, news);
      const create = this.#create(run, created, old, { thenDelete: !deleteBeforeReplace });
      const isFirst = deleteBeforeReplace && !old.pendingReplacement;
      return {
        changes: true,
        steps: isFirst ? [this.#delete(run, old, { toReplace: true }), create] : [create],
      };
    }
    if (changes || old.initErrors.length > 0) {
      return { changes: true, steps: [this.#update(run, old, created)] };
    }
    return { changes: false, steps: [async () => this.#save(old, created)] };
  }

  /** Finds the record that a resource goes by now. */
  #current(resource: string | undefined): State | undefined {
    return this.#records.find((record) => record.resource === resource && !record.delete);
  }

  /** Returns what the program passes to the provider beside what it declares. */
  #hiddenInputs(run: Run, resource: string, declaration: Declaration): Properties {
    const { secret } = declaration;
    const declared = this.#declared(run, resource, declaration);
    return { [KEY]: writeDeclared(declared, {}), ...(secret !== undefined && { [DECLARED_SECRET]: secret }) };
  }

  /** Returns what the program knows of the state and of its other webhooks when it declares one. */
  #declared(run: Run, resource: string, { provider, import: id, alias, url, name }: Declaration): Declared {
    const type = "pulumi:providers:pulumi-nodejs";
    const providers = [...PROVIDERS, OTHER_ACCOUNT].map((name) => ({
      urn: `urn:pulumi:dev::test::${type}::${name}`,
      type,
      id: "a-guid",
      inputs: name === "default" ? {} : { "webhooks:explicitProvider": name },
    }));
    const { baseUrl } = run.settingsOf(provider);
    const webhooks = [...this.#records, ...othersAt(baseUrl)].map((record) => ({
      ...record,
      urn: urnOf(record.resource),
      type: WEBHOOK_TYPE,
      provider: `urn:pulumi:dev::test::${type}::${record.provider}::a-guid`,
    }));
    const resources = [...providers, ...webhooks];
    const stack = new RecordedStack({ deployment: { resources, pending_operations: this.#pending() } });
    const urn = urnOf(resource);
    const key = resource;
    const earlierUrns = alias?.by === "options" ? [urnOf(alias.name)] : [];
    const renamed = { urn, earlierUrns: stack.mayBeRenamed(urn) ? earlierUrns : [] };
    const past = stack.pastOf(renamed);
    const twins = stack.twinsOf(renamed, { url, name });
    const twin = twins.find(({ provider }) => provider !== OTHER_ACCOUNT)?.urn;
    if (id === undefined) return { key, given: [], past: { ...past, ...(twin !== undefined && { twin }) } };
    const importer = { urn, isOwn: false, baseUrl };
    const recorded = stack.holdersOf(id, urn).map(({ provider, ...holder }) => ({
      ...holder,
      hasOtherKey: provider === OTHER_ACCOUNT,
    }));
    const holders = [...run.addImport(id, importer), ...recorded];
    return { key, given: [], past: { ...past, holders } };
  }

  /** Returns the operation in which the last run was killed, as the state shows it. That of an update has no id yet. */
  #pending() {
    if (this.#interrupted === undefined) return [];
    const { type, resource, alias = resource, id } = this.#interrupted;
    const shown = {
      urn: urnOf(resource),
      type: WEBHOOK_TYPE,
      aliases: [urnOf(alias)],
      ...(type === "deleting" && { id }),
    };
    return [{ type, resource: shown }];
  }

  /** Returns the records to delete after all other steps. */
  #obsolete(previous: readonly State[], { program }: Up): State[] {
    const aliases = [...program.values()].map(({ alias }) => alias?.name);
    return previous.filter(
      (old) => old.delete || !(program.has(old.resource) || aliases.includes(old.resource)),
    );
  }

  #create(
    run: Run,
    { resource, provider, inputs }: Checked,
    old?: State,
    { thenDelete = false }: { thenDelete?: boolean } = {},
  ): Step {
    return async () => {
      const process = run.process(provider);
      const creating = sendAs(resource, () => run.repeated(() => process.create(inputs)));
      const { id, properties, failure } = await creating;
      run.changes++;
      const initErrors = failure?.reasons ?? [];
      const record = { resource, provider, id, inputs, outputs: properties, initErrors };
      this.#records.push({ ...record, delete: false, pendingReplacement: false });
      if (old !== undefined) this.#rename(old.resource, resource);
      if (old !== undefined && thenDelete) old.delete = true;
      if (old?.pendingReplacement) this.#remove(old);
      if (failure !== undefined) throw failure;
    };
  }

  #update(run: Run, old: State, updated: Checked): Step {
    const { resource, provider, inputs } = updated;
    return async () => {
      const change = { type: "updating" as const, resource, alias: old.resource, id: old.id };
      const update = () => sendAs(resource, () => run.process(provider).update(old, inputs));
      const { properties, failure } = await run.change(change, update);
      run.changes++;
      this.#save(old, updated);
      Object.assign(old, { outputs: properties, initErrors: failure?.reasons ?? [] });
      if (failure !== undefined) throw failure;
    };
  }

  #delete(run: Run, old: State, { toReplace = false }: { toReplace?: boolean } = {}): Step {
    return async () => {
      // A record that was deleted for a replacement, and then left the program, needs no second delete.
      if (old.delete || !old.pendingReplacement) {
        const { resource, id } = old;
        const remove = () => sendAs(resource, () => run.process(old.provider).delete(old));
        await run.change({ type: "deleting", resource, id }, remove).catch((error) => {
          if (!/deadline|killed/.test(String(error.message))) run.notDeleted.push(old.id);
          throw error;
        });
      }
      run.changes++;
      if (toReplace) old.pendingReplacement = true;
      else this.#remove(old);
    };
  }

  #save(old: State, { resource, provider, inputs }: Checked): void {
    this.#rename(old.resource, resource);
    Object.assign(old, { provider, inputs });
  }

  /** Renames all records of a resource, those that wait for their deletion too, as the engine does with an alias. */
  #rename(from: string, to: string): void {
    for (const record of this.#records) if (record.resource === from) record.resource = to;
  }

  #remove(old: State): void {
    this.#records = this.#records.filter((record) => record !== old);
  }
}

/** The Provider of another account at the same URL, which counts its ids on its own. */
const OTHER_ACCOUNT = "other";

/** Returns the records of the other account. The first ids of the two are the same, and one is in doubt like many of the model. */
function othersAt(baseUrl: string) {
  const outputs = { url: "https://example.com/shared/0", name: "Orders", enabled: true, baseUrl };
  const ids = [...Array.from({ length: 30 }, (_, n) => `${n + 1}`), "in-doubt:2026-01-01T00:00:00.000Z-0000"];
  return ids.map((id) => ({
    resource: `other-${id}`,
    provider: OTHER_ACCOUNT,
    id,
    inputs: outputs,
    outputs,
  }));
}

/** Returns the URN of a webhook. */
export function urnOf(resource: string): string {
  return `urn:pulumi:dev::test::${WEBHOOK_TYPE}::${resource}`;
}

/** Returns the Providers that an up registers: the program always declares its own, and webhooks the default one. */
export function registered(program: Up["program"]): ReadonlySet<ProviderName> {
  return new Set<ProviderName>(["own", ...[...program.values()].map(({ provider }) => provider)]);
}

type State = { -readonly [Field in keyof Recorded]: Recorded[Field] };
type Step = () => Promise<void>;

/** The steps of one resource, and whether they change its webhook. */
interface Plan {
  changes: boolean;
  steps: readonly Step[];
}

/** A declared resource whose inputs the provider has checked. */
interface Checked {
  resource: string;
  provider: ProviderName;
  inputs: Properties;
}

type RunOptions = Pick<Up, "parallel" | "continueOnError" | "sdk" | "repeatsCreates" | "kill">;

/** One run of the engine: its provider processes, its workers and its output. */
class Run {
  readonly settingsOf: (provider: ProviderName) => Settings;
  readonly #processes = new Map<ProviderName, ProviderProcess>();
  /** The imports that the program has declared. */
  readonly #imports = new Map<string, Holder[]>();
  failed = false;
  #isStopped = false;
  changes = 0;
  readonly notDeleted: string[] = [];
  #begunChanges = 0;
  #interrupted: InterruptedChange | undefined;
  readonly #lines: string[] = [];
  readonly #chains: Promise<void>[] = [];
  readonly #waiting: (() => void)[] = [];
  #free: number;

  readonly #options: RunOptions;

  constructor(settingsOf: (provider: ProviderName) => Settings, options: RunOptions = {}) {
    this.settingsOf = settingsOf;
    this.#options = options;
    // A run that is killed has no other step in flight then. The kills of creates are those of test/chaos.
    this.#free = options.kill ? 1 : (options.parallel ?? Number.POSITIVE_INFINITY);
  }

  /** Whether a failure keeps further steps from starting. */
  get isStopped(): boolean {
    return this.#isStopped || (this.failed && !this.#options.continueOnError);
  }

  /** Whether the program ended with an error because a step failed. */
  get programFailed(): boolean {
    return this.failed && this.#options.sdk === "3.260";
  }

  /** Ends the run after a failed check or diff. The engine does so with `--continue-on-error`, too. */
  stop(error: unknown): void {
    this.fail(error);
    this.#isStopped = true;
  }

  /** Notes an import. @returns the other resources that import the webhook. */
  addImport(id: string, importer: Holder): Holder[] {
    const others = (this.#imports.get(id) ?? []).filter(({ urn }) => urn !== importer.urn);
    this.#imports.set(id, [...others, importer]);
    return others;
  }

  /** Runs a create, and repeats one that failed if the program asks for it. The last result is recorded. */
  async repeated(create: () => Promise<Result>): Promise<Result> {
    if (!this.#options.repeatsCreates) return create();
    const first = await create().catch(() => undefined);
    return first === undefined || first.failure !== undefined ? create() : first;
  }

  /** Runs an update or a delete, unless the run is killed in it. What became of it then, nobody records. */
  async change<Value>(change: InterruptedChange, act: () => Promise<Value>): Promise<Value> {
    const { kill } = this.#options;
    if (kill?.nth !== this.#begunChanges++) return act();
    if (kill.isSent) await act().catch(() => {});
    this.#interrupted = change;
    this.#isStopped = true;
    throw new Error("The engine was killed.");
  }

  /** Returns the process of a Provider. It shares nothing with the others. */
  process(provider: ProviderName): ProviderProcess {
    const print = (line: string) => void this.#lines.push(line);
    const log = { warn: print, progress: print };
    const process =
      this.#processes.get(provider) ?? new ProviderProcess(provider, this.settingsOf(provider), log);
    this.#processes.set(provider, process);
    return process;
  }

  /** Starts a chain of steps as soon as a worker is free. No step starts after one of the run has failed. */
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
    const { changes, notDeleted } = this;
    const interrupted = this.#interrupted;
    return { ok: !this.failed, changes, lines: this.#lines, notDeleted, interrupted };
  }

  async #work(chain: readonly Step[]): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      for (const step of chain) {
        if (this.isStopped) return;
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
