import type { ReadResult, Result } from "../../../src/lifecycle/values.js";
import { RESOURCE_KEY } from "../../../src/record/properties.js";
import { typeOf } from "../../../src/record/urn.js";
import type { StackBeforeRun } from "../../../src/stack/stack-before-run.js";
import type { ExportedResource } from "../../../src/stack/stack-export.js";
import { keyOfProvider, providerOf, providerReference, recordedProvider } from "./accounts.js";
import type { Api } from "./api.js";
import { Deployment } from "./deployment.js";
import type { Face } from "./faces.js";
import { inputsOf, readStack } from "./program.js";
import { ProviderProcess } from "./provider-process.js";
import { isInDoubt, nameOf, seal, unseal, urnOf } from "./records.js";
import { type Declaration, type Properties, type State, tick } from "./state.js";

export interface RunOptions {
  continueOnError?: boolean;
  /** Whether the steps begin only after all resources were registered, and run side by side. Default: one after another. */
  isParallel?: boolean;
  replace?: readonly string[];
  refresh?: false;
}

/** The result of a run, and every line that a user reads. */
export interface Outcome {
  ok: boolean;
  lines: string[];
  changes: number;
}

/** A resource that the program has registered, with its checked inputs. */
interface Registered {
  urn: string;
  provider: string;
  inputs: Properties;
  aliases?: string[];
  /** The id that the engine itself imports. */
  importId?: string;
}

/** What an operation lets the engine record, by default with the inputs that the program has registered. */
type Recorded = Result & ReadResult;

/** What an operation resolves with that the engine, or its process, does not live to see. */
const never = new Promise<never>(() => {});

let runs = 0;

/**
 * One run of Pulumi's engine with the provider of a face, on the state as `pulumi stack export` prints it.
 *
 * It follows Pulumi's step_generator.go and step.go, and the SDK's cmd/dynamic-provider: check and diff run for one resource
 * at a time; a failed check or diff ends the run; no step starts after one has failed, but with `--continue-on-error`; deletes
 * come last. The state is saved before and after each step. It replaces no test on the real engine.
 */
export class EngineRun {
  readonly #outcome: Outcome = { ok: true, lines: [], changes: 0 };
  readonly #state: State;
  readonly #options: RunOptions;
  readonly #address = `127.0.0.1:${++runs}`;
  readonly #deployment: Deployment;
  /** The processes of the provider, by the Providers of the webhooks. */
  readonly #processes = new Map<string, ProviderProcess>();
  /** The URNs of the records that an alias renames. */
  readonly #aliased = new Set<string>();
  readonly #killed: Promise<"killed">;
  #isKilled = false;
  #isBackendLost = false;
  #isStopped = false;

  constructor({ state, api, options }: { state: State; api: Api; options: RunOptions }) {
    this.#state = state;
    this.#options = options;
    this.#deployment = new Deployment(state);
    this.#killed = new Promise((resolve) => {
      api.onKill = (who, sender) => {
        const process = this.#processOf(providerReference(state, providerOf(nameOf(sender))));
        if (who === "provider") process.kill();
        else this.#isKilled = true;
        this.#isBackendLost ||= who === "backend";
        // The requests in flight end or hang meanwhile.
        setImmediate(() => (who === "provider" ? process.die() : resolve("killed")));
      };
    });
  }

  up(): Promise<Outcome> {
    return this.#run(async () => {
      // Its Providers have the processes of the run.
      if (this.#state.refresh === "always" && this.#options.refresh !== false) await this.#readAll();
      if (this.#isStopped) return;
      // The plugin reads it itself, when it first checks; the program, when it first declares a webhook.
      const isRead = this.#state.face === "dynamic" && Object.keys(this.#state.program).length > 0;
      const stack = isRead ? readStack(this.#state, this.#address) : undefined;
      const previous = this.#deployment.webhooks;
      const taken: Promise<void>[] = [];
      for (const declared of Object.entries(this.#state.program)) {
        const step = this.#isStopped ? undefined : await this.#plan(declared, stack);
        if (step === undefined) break;
        const attempt = this.#attempt(step);
        if (this.#options.isParallel) taken.push(attempt);
        else await attempt;
      }
      await Promise.all(taken);
      await this.#deleteAll(previous.filter((old) => this.#isObsolete(old)));
    });
  }

  refresh(): Promise<Outcome> {
    return this.#run(() => this.#readAll());
  }

  async #readAll(): Promise<void> {
    for (const record of this.#deployment.webhooks) {
      await this.#attempt(async () => {
        const { id = "", urn, inputs: recorded = {} } = record;
        const olds = unseal(record.outputs);
        const found = await this.#call(record, (face) => face.read({ urn, id, olds }));
        if (found === undefined) return this.#deployment.remove(record);
        const { inputs } = found;
        Object.assign(record, { outputs: seal(found.outputs), initErrors: [] });
        if (inputs === undefined) return;
        const { [RESOURCE_KEY]: key, __provider } = recorded;
        record.inputs = seal(JSON.parse(JSON.stringify({ ...inputs, [RESOURCE_KEY]: key, __provider })));
      });
    }
  }

  destroy(): Promise<Outcome> {
    return this.#run(() => this.#deleteAll(this.#deployment.webhooks));
  }

  async #run(act: () => Promise<void>): Promise<Outcome> {
    const isWell = (await Promise.race([act(), this.#killed])) !== "killed";
    if (isWell) this.#deployment.save();
    else this.#outcome.ok = false;
    for (const process of this.#processes.values()) process.end(isWell || this.#isBackendLost);
    return this.#outcome;
  }

  async #deleteAll(records: ExportedResource[]): Promise<void> {
    for (const old of records.reverse()) if (!this.#isStopped) await this.#attempt(() => this.#delete(old));
  }

  /** Plans the step of a resource. @returns undefined if the run ends. */
  async #plan(
    [name, { alias, provider: declared, ...args }]: [string, Declaration],
    stack: StackBeforeRun | undefined,
  ): Promise<(() => Promise<void>) | undefined> {
    const urn = urnOf(this.#state, name);
    const by = { urn, provider: providerReference(this.#state, declared ?? providerOf(name)) };
    const aliased = alias === undefined ? undefined : urnOf(this.#state, alias);
    const named = this.#deployment.current(urn);
    const old = named ?? this.#deployment.current(aliased);
    if (old !== undefined && old !== named) this.#aliased.add(old.urn);
    const isTarget = this.#options.replace?.includes(name) ?? false;
    const { program } = this.#state;
    const earlier = Object.keys(program).slice(0, Object.keys(program).indexOf(name));
    const importers = earlier
      .filter((other) => program[other]?.import === args.import)
      .map((other) => ({ urn: urnOf(this.#state, other) }));
    const news = inputsOf(args, { stack, urn, importers });
    const check = (olds: Properties) =>
      this.#call(by, (face) => face.check({ urn, olds, news: { ...news } }));
    // A program that gives a resource the alias of another one which is still recorded breaks its stack by itself.
    const isOfAlias = aliased !== undefined && named === undefined;
    const resource: Registered = { ...by, inputs: news, ...(isOfAlias && { aliases: [aliased] }) };
    // The engine imports before it checks. The dynamic provider has an option of its own.
    const { import: importId } = args;
    if (stack === undefined && importId !== undefined && importId !== old?.id)
      return () => this.#create({ ...resource, importId }, old);
    try {
      const inputs = await check(old === undefined || isTarget ? {} : unseal(old.inputs));
      resource.inputs = inputs;
      if (old === undefined) return () => this.#create(resource);
      const { id = "" } = old;
      const change = { urn, id, olds: unseal(old.outputs), news: inputs };
      const { changes, replaces = [] } = isTarget
        ? { changes: true, replaces: ["id"] }
        : await this.#call(by, (face) => face.diff(change));
      if (changes && replaces.length > 0) {
        if (!isTarget) resource.inputs = await check({});
        return () => this.#create(resource, old);
      }
      if (changes || (old.initErrors ?? []).length > 0) return () => this.#update(old, resource);
      return async () => this.#rename(old, resource);
    } catch (error) {
      this.#fail(error);
      this.#isStopped = true;
      return undefined;
    }
  }

  /** Reports whether a record is deleted after all other steps. */
  #isObsolete({ urn, delete: isReplaced }: ExportedResource): boolean {
    return isReplaced === true || !(nameOf(urn) in this.#state.program || this.#aliased.has(urn));
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    if (this.#isStopped && this.#options.isParallel !== true) return;
    try {
      await step();
    } catch (error) {
      this.#fail(error);
      if (!this.#options.continueOnError) this.#isStopped = true;
    } finally {
      this.#deployment.save();
    }
  }

  #fail(error: unknown): void {
    this.#outcome.ok = false;
    this.#outcome.lines.push(String(Object(error).message));
  }

  async #create(registered: Registered, old?: ExportedResource): Promise<void> {
    const { urn, provider, inputs, aliases, importId: id } = registered;
    const created = { urn, type: typeOf(urn), custom: true, provider, ...(aliases && { aliases }) };
    for (const record of this.#deployment.webhooks)
      if (record.urn === old?.urn || record.urn === urn) Object.assign(record, { isReplaced: undefined });
    if (old !== undefined) Object.assign(old, { isReplaced: true });
    // A replacement has the time of what it replaces until it ends.
    const begun = { ...created, inputs: seal(inputs), ...(old?.created && { created: old.created }) };
    const operation = (face: Face): Promise<Recorded> =>
      id === undefined ? face.create({ urn, news: inputs }) : importWebhook(face, { ...registered, id });
    await this.#change(id === undefined ? "creating" : "importing", begun, operation, (result) => {
      const time = tick(this.#state);
      const recorded = { inputs: seal(inputs), ...result, created: time, modified: time };
      this.#deployment.add({ ...created, ...recorded });
      if (old === undefined) return;
      if (!isInDoubt({ id: result.id })) Object.assign(old, { isReplaced: undefined });
      old.delete = true;
      this.#deployment.rename(old.urn, { urn });
    });
  }

  async #update(old: ExportedResource, registered: Registered): Promise<void> {
    const { urn, provider, inputs, aliases } = registered;
    const { id = "" } = old;
    const begun = { urn, type: typeOf(urn), provider, ...(aliases && { aliases }) };
    const updating = (face: Face) => face.update({ urn, id, olds: unseal(old.outputs), news: inputs });
    await this.#change("updating", begun, updating, ({ outputs, initErrors }) => {
      this.#rename(old, registered);
      Object.assign(old, { outputs, initErrors, modified: tick(this.#state) });
    });
  }

  async #delete(old: ExportedResource): Promise<void> {
    const { urn, id = "", outputs, provider = "" } = old;
    const deleting = async (face: Face) => {
      await face.delete({ urn, id, olds: unseal(outputs) });
      return { id, outputs: {} };
    };
    await this.#change("deleting", { urn, type: typeOf(urn), id, provider }, deleting, () =>
      this.#deployment.remove(old),
    );
  }

  /** Lets a record go by the name and the inputs that the program has registered. */
  #rename(old: ExportedResource, { inputs, provider, ...registered }: Registered): void {
    this.#deployment.rename(old.urn, registered);
    Object.assign(old, { provider, inputs: seal(inputs) });
  }

  /** Runs an operation that changes a webhook, with its entry among the pending operations, and records its result. */
  async #change(
    type: string,
    resource: ExportedResource,
    operation: (face: Face) => Promise<Recorded>,
    record: (result: Recorded & { initErrors: string[] }) => void,
  ): Promise<void> {
    const end = this.#deployment.begin(type, resource);
    const result = await this.#call(resource, operation)
      .then((recorded) => ({ ...recorded, initErrors: [] as string[] }))
      .catch((error) => {
        // The dynamic provider adds properties to what the plugin's service makes such an error of.
        const { id, outputs, properties = outputs, message } = error;
        if (id === undefined || properties === undefined) throw error;
        return { id: String(id), outputs: properties, initErrors: [message] };
      })
      .finally(async () => {
        if (this.#isKilled) await never;
        end();
      });
    record({ ...result, outputs: seal(result.outputs) });
    this.#outcome.changes++;
    if (result.initErrors.length > 0) throw new Error(result.initErrors.join("\n"));
  }

  #call<Result>(
    { urn, provider = "" }: Pick<ExportedResource, "urn" | "provider">,
    operation: (face: Face) => Promise<Result>,
  ): Promise<Result> {
    return this.#processOf(provider).call(urn, operation);
  }

  /** Returns the process of a Provider. It starts with its first operation. */
  #processOf(provider: string): ProviderProcess {
    const name = recordedProvider({ provider });
    const log = (line: string) => void this.#outcome.lines.push(line);
    const apiKey = keyOfProvider(this.#state, name);
    const given = { address: this.#address, state: this.#state, apiKey, log };
    const process = this.#processes.get(provider) ?? new ProviderProcess(name, given);
    this.#processes.set(provider, process);
    return process;
  }
}

/** Imports a webhook as the engine itself does: it records what was read, if nothing is to be changed. */
async function importWebhook(face: Face, { urn, id, inputs: news }: Registered & { id: string }) {
  const { outputs, inputs = {} } = (await face.read({ urn, id })) ?? { outputs: {} };
  const checked = await face.check({ urn, olds: inputs, news });
  const { changes } = await face.diff({ urn, id, olds: outputs, news: checked });
  if (changes) throw new Error("inputs to import do not match the existing resource");
  return { id, outputs, inputs };
}
