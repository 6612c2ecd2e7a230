import type { WebhookProvider } from "../../../src/dynamic/provider/webhook-provider.js";
import { KEY, storedProvider } from "../../../src/record/properties.js";
import type { StackBeforeRun } from "../../../src/stack/stack-before-run.js";
import type { ExportedResource } from "../../../src/stack/stack-export.js";
import type { Api } from "./api.js";
import { Deployment } from "./deployment.js";
import { inputsOf, readStack } from "./program.js";
import { ProviderProcess } from "./provider-process.js";
import type { Declaration, Properties, State } from "./state.js";
import { DYNAMIC_TYPE, nameOf, providerOf, providerReference, seal, tick, unseal, urnOf } from "./state.js";

/** How the engine runs. */
export interface RunOptions {
  continueOnError?: boolean;
  /** Whether the steps begin only after all resources were registered, and run side by side. Default: one after another. */
  isParallel?: boolean;
  /** The resources named with `--replace`. */
  replace?: readonly string[];
  /** The resource named with `--exclude`. */
  exclude?: string;
}

/** The result of a run, and every line that a user reads. */
export interface Outcome {
  ok: boolean;
  lines: string[];
  /** How many webhooks the run changed. */
  changes: number;
}

/** A resource that the program has registered, with its checked inputs. */
interface Registered {
  urn: string;
  inputs: Properties;
  aliases?: string[];
}

/** What an operation resolves with that the engine, or its process, does not live to see. */
const never = new Promise<never>(() => {});

let runs = 0;

/**
 * One run of Pulumi's engine with the dynamic provider, on the state as `pulumi stack export` prints it.
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
  /** The processes of the dynamic provider, by the Providers of the webhooks. */
  readonly #processes = new Map<string | undefined, ProviderProcess>();
  /** The URNs of the records that an alias renames. */
  readonly #aliased = new Set<string>();
  readonly #killed: Promise<"killed">;
  #isKilled = false;
  #isStopped = false;

  constructor({ state, api, options }: { state: State; api: Api; options: RunOptions }) {
    this.#state = state;
    this.#options = options;
    this.#deployment = new Deployment(state);
    this.#killed = new Promise((resolve) => {
      api.onKill = (who, sender) => {
        const process = this.#processOf(sender);
        if (who === "provider") process.isDead = true;
        else this.#isKilled = true;
        // The requests in flight end or hang meanwhile.
        setImmediate(() => (who === "provider" ? process.die() : resolve("killed")));
      };
    });
  }

  up(): Promise<Outcome> {
    return this.#run(async () => {
      const stack = readStack(this.#state, this.#address);
      this.#outcome.lines.push(...stack.warnings(false));
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
    return this.#run(async () => {
      for (const record of this.#deployment.webhooks) {
        await this.#attempt(async () => {
          const { id = "", urn, inputs: recorded = {} } = record;
          const outputs = unseal(record.outputs);
          const {
            id: found,
            props,
            inputs,
          } = await this.#call(urn, (provider) => provider.read(id, outputs));
          if (found === undefined) return this.#deployment.remove(record);
          Object.assign(record, { outputs: seal(Object(props)), initErrors: [] });
          if (inputs === undefined) return;
          const { [KEY]: key, __provider } = recorded;
          record.inputs = seal({ ...inputs, ...(key !== undefined && { [KEY]: key }), __provider });
        });
      }
    });
  }

  destroy(): Promise<Outcome> {
    return this.#run(() => this.#deleteAll(this.#deployment.webhooks));
  }

  async #run(act: () => Promise<void>): Promise<Outcome> {
    const isWell = (await Promise.race([act(), this.#killed])) !== "killed";
    if (isWell) this.#deployment.save();
    else this.#outcome.ok = false;
    for (const process of this.#processes.values()) process.end(isWell);
    return this.#outcome;
  }

  async #deleteAll(records: ExportedResource[]): Promise<void> {
    for (const old of records.reverse()) if (!this.#isStopped) await this.#attempt(() => this.#delete(old));
  }

  /** Plans the step of a resource. @returns undefined if the run ends. */
  async #plan(
    [name, { alias, ...args }]: [string, Declaration],
    stack: StackBeforeRun,
  ): Promise<(() => Promise<void>) | undefined> {
    const urn = urnOf(name);
    const aliased = alias === undefined ? undefined : urnOf(alias);
    // It stays as it is recorded, and nothing of it is checked.
    if (name === this.#options.exclude) return async () => {};
    const named = this.#deployment.current(urn);
    const old = named ?? this.#deployment.current(aliased);
    if (old !== undefined && old !== named) this.#aliased.add(old.urn);
    const isTarget = this.#options.replace?.includes(name) ?? false;
    const news = inputsOf(args, { stack, urn });
    const check = async (olds: Properties) => {
      const checking = this.#call(urn, (provider) => provider.check(olds, { ...news }));
      const { inputs, failures = [] } = await checking;
      if (failures.length > 0)
        throw new Error(failures.map(({ property, reason }) => property + reason).join("\n"));
      return { ...Object(inputs), __provider: storedProvider };
    };
    try {
      const inputs = await check(old === undefined || isTarget ? {} : unseal(old.inputs));
      // A program that gives a resource the alias of another one which is still recorded breaks its stack by itself.
      const isOfAlias = aliased !== undefined && named === undefined;
      const resource: Registered = { urn, inputs, ...(isOfAlias && { aliases: [aliased] }) };
      if (old === undefined) return () => this.#create(resource);
      const { id = "" } = old;
      const diff = (provider: WebhookProvider) => provider.diff(id, unseal(old.outputs), inputs);
      const { changes, replaces = [] } = isTarget
        ? { changes: true, replaces: ["id"] }
        : await this.#call(urn, diff);
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
    if (!isReplaced && nameOf(urn) === this.#options.exclude) return false;
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
    const { message, reasons = [] } = Object(error);
    this.#outcome.ok = false;
    this.#outcome.lines.push(String(message), ...reasons);
  }

  async #create({ urn, inputs, aliases }: Registered, old?: ExportedResource): Promise<void> {
    const provider = providerReference(nameOf(urn));
    const created = { urn, type: DYNAMIC_TYPE, custom: true, provider, ...(aliases && { aliases }) };
    // A replacement has the time of what it replaces until it ends.
    const begun = { ...created, inputs: seal(inputs), ...(old?.created && { created: old.created }) };
    const creating = (webhooks: WebhookProvider) => webhooks.create(inputs);
    await this.#change("creating", begun, creating, (result) => {
      const time = tick(this.#state);
      this.#deployment.add({ ...created, ...result, inputs: seal(inputs), created: time, modified: time });
      if (old === undefined) return;
      old.delete = true;
      this.#deployment.rename(old, { urn });
    });
  }

  async #update(old: ExportedResource, registered: Registered): Promise<void> {
    const { urn, inputs, aliases } = registered;
    const { id = "" } = old;
    const begun = { urn, type: DYNAMIC_TYPE, ...(aliases && { aliases }) };
    const updating = async (webhooks: WebhookProvider) => ({
      id,
      ...(await webhooks.update(id, unseal(old.outputs), inputs)),
    });
    await this.#change("updating", begun, updating, ({ outputs, initErrors }) => {
      this.#rename(old, registered);
      Object.assign(old, { outputs, initErrors, modified: tick(this.#state) });
    });
  }

  async #delete(old: ExportedResource): Promise<void> {
    const { urn, id = "", outputs } = old;
    const deleting = async (webhooks: WebhookProvider) => {
      await webhooks.delete(id, unseal(outputs));
      return { id };
    };
    await this.#change("deleting", { urn, type: DYNAMIC_TYPE, id }, deleting, () =>
      this.#deployment.remove(old),
    );
  }

  /** Lets a record go by the name and the inputs that the program has registered. */
  #rename(old: ExportedResource, { inputs, ...registered }: Registered): void {
    this.#deployment.rename(old, registered);
    old.inputs = seal(inputs);
  }

  /** Runs an operation that changes a webhook, with its entry among the pending operations, and records its result. */
  async #change(
    type: string,
    resource: ExportedResource,
    operation: (provider: WebhookProvider) => Promise<{ id: string; outs?: object }>,
    record: (result: { id: string; outputs: Properties; initErrors: string[] }) => void,
  ): Promise<void> {
    const end = this.#deployment.begin(type, resource);
    const result = await this.#call(resource.urn, operation)
      .then(({ id, outs }) => ({ id, outputs: { ...outs, __provider: storedProvider }, initErrors: [] }))
      .catch((error) => {
        const { id, properties: outputs, reasons: initErrors = [] } = error;
        if (id === undefined || outputs === undefined) throw error;
        return { id: String(id), outputs, initErrors };
      })
      .finally(async () => {
        if (this.#isKilled) await never;
        end();
      });
    record({ ...result, outputs: seal(result.outputs) });
    this.#outcome.changes++;
    if (result.initErrors.length > 0) throw new Error(result.initErrors.join("\n"));
  }

  #call<Result>(urn: string, operation: (provider: WebhookProvider) => Promise<Result>): Promise<Result> {
    return this.#processOf(urn).call(urn, operation);
  }

  /** Returns the process that serves a webhook. It starts with its first operation. */
  #processOf(urn: string): ProviderProcess {
    const name = providerOf(nameOf(urn));
    const log = (line: string) => void this.#outcome.lines.push(line);
    const given = { address: this.#address, drift: this.#state.drift, log };
    const process = this.#processes.get(name) ?? new ProviderProcess(name, given);
    this.#processes.set(name, process);
    return process;
  }
}
