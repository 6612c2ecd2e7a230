import { WebhookProvider } from "../../../src/dynamic/webhook-provider.js";
import { Notes } from "../../../src/notes/notes.js";
import { forgetNotes, readNotes } from "../../../src/notes/read-notes.js";
import { storedProvider } from "../../../src/program/stored-provider.js";
import type { Declared } from "../../../src/stack/hidden-properties.js";
import {
  DECLARED,
  OWNERS,
  PROGRAM_ARGUMENTS,
  KEY as RESOURCE_KEY,
} from "../../../src/stack/hidden-properties.js";
import { RecordedStack } from "../../../src/stack/recorded-stack.js";
import type { ExportedResource } from "../../../src/stack/stack-export.js";
import type { Api } from "./api.js";
import { sendAs } from "./api.js";
import { requireIntegrity, resolveAliases } from "./integrity.js";
import { EmulatedProcess } from "./machine.js";
import type { Declaration, Properties, State } from "./state.js";
import {
  BASE_URL,
  DYNAMIC_TYPE,
  KEY,
  nameOf,
  PROJECT,
  providerOf,
  providerReference,
  STACK,
  seal,
  unseal,
  urnOf,
} from "./state.js";

/** How the engine runs. */
export interface RunOptions {
  continueOnError?: boolean;
  /** Whether the steps begin only after all resources were registered, and run side by side. Default: one after another. */
  isParallel?: boolean;
  /** The resources named with `--replace`. */
  replace?: readonly string[];
}

/** The result of a run, and every line that a user reads. */
export interface Outcome {
  ok: boolean;
  lines: string[];
  /** How many webhooks the run changed; in a preview, would change. */
  changes: number;
}

interface Surroundings {
  state: State;
  api: Api;
  folders: readonly string[];
  drift: "off" | "probe";
  now: () => string;
}

/** A step that fails ends the run, unless it goes on after failures. */
class StepFailure extends Error {}

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
  readonly #given: Surroundings;
  readonly #options: RunOptions;
  readonly #address = `127.0.0.1:${++runs}`;
  /** The processes of the Providers, by the names of explicit ones. Each starts with its first operation. */
  readonly #processes = new Map<string | undefined, ProviderProcess>();
  #isStopped = false;
  #isKilled = false;
  readonly #killed: Promise<"killed">;

  constructor(given: Surroundings, options: RunOptions = {}) {
    this.#given = given;
    this.#options = options;
    this.#killed = new Promise((resolve) => {
      given.api.onKill = (who, sender) => {
        const process = this.#processOf(sender);
        if (who === "provider") process.isDead = true;
        else this.#isKilled = true;
        // The requests in flight end or hang meanwhile.
        setImmediate(() => (who === "provider" ? process.die() : resolve("killed")));
      };
    });
  }

  /** Returns the process of the Provider of a webhook. */
  #processOf(urn: string): ProviderProcess {
    const name = providerOf(nameOf(urn));
    const { drift, folders } = this.#given;
    const log = (line: string) => void this.#outcome.lines.push(line);
    const process =
      this.#processes.get(name) ?? new ProviderProcess({ address: this.#address, name, drift, folders, log });
    this.#processes.set(name, process);
    return process;
  }

  #call<Result>(urn: string, operation: (provider: WebhookProvider) => Promise<Result>): Promise<Result> {
    return this.#processOf(urn).call(urn, operation);
  }

  #endProcesses(isWell: boolean): void {
    for (const process of this.#processes.values()) process.end(isWell);
  }

  up(): Promise<Outcome> {
    return this.#run(async () => {
      const stack = this.#readStack();
      const gate = stack.gate;
      const previous = this.#webhooks;
      const pending: Promise<void>[] = [];
      for (const declared of Object.entries(this.#given.state.program)) {
        const plan = this.#isStopped ? undefined : await this.#plan(declared, { stack, gate });
        if (plan === undefined) break;
        if (this.#options.isParallel) pending.push(this.#attempt(plan.step));
        else await this.#attempt(plan.step);
      }
      await Promise.all(pending);
      await this.#deleteAll(previous.filter((old) => this.#isObsolete(old)));
    });
  }

  /** Plans an up, and changes nothing. */
  async preview(): Promise<Outcome> {
    const stack = this.#readStack();
    for (const declared of Object.entries(this.#given.state.program)) {
      const plan = await this.#plan(declared, { stack });
      if (plan?.hasChanges) this.#outcome.changes++;
    }
    this.#outcome.changes += this.#webhooks.filter((old) => this.#isObsolete(old)).length;
    this.#endProcesses(true);
    return this.#outcome;
  }

  refresh(): Promise<Outcome> {
    return this.#run(async () => {
      for (const record of this.#webhooks.filter((one) => !one.pendingReplacement)) {
        await this.#attempt(async () => {
          const { id = "", urn } = record;
          const outputs = unseal(record.outputs);
          const read = await this.#call(urn, (provider) => provider.read(id, outputs));
          if (read.id === undefined) return this.#remove(record);
          Object.assign(record, { outputs: seal(Object(read.props)), initErrors: [] });
          if (read.inputs !== undefined) {
            const { [RESOURCE_KEY]: key, __provider } = record.inputs ?? {};
            record.inputs = seal({
              ...read.inputs,
              ...(key !== undefined && { [RESOURCE_KEY]: key }),
              __provider,
            });
          }
        });
      }
    });
  }

  destroy(): Promise<Outcome> {
    return this.#run(() => this.#deleteAll(this.#webhooks));
  }

  async #deleteAll(records: ExportedResource[]): Promise<void> {
    for (const old of records.reverse()) if (!this.#isStopped) await this.#attempt(() => this.#delete(old));
  }

  get #deployment() {
    return this.#given.state.stack.deployment;
  }

  get #webhooks(): ExportedResource[] {
    return this.#deployment.resources.filter(({ type }) => type === DYNAMIC_TYPE);
  }

  async #run(act: () => Promise<void>): Promise<Outcome> {
    if ((await Promise.race([act(), this.#killed])) === "killed") {
      this.#endProcesses(false);
      this.#outcome.ok = false;
      return this.#outcome;
    }
    this.#save();
    this.#endProcesses(true);
    return this.#outcome;
  }

  /** The operations of this run. */
  readonly #own = new Set<object>();

  /** Saves the state. The engine keeps the pending creates of earlier runs, and no other operations. */
  #save(): void {
    const deployment = this.#deployment;
    resolveAliases(deployment.resources);
    requireIntegrity(deployment.resources);
    deployment.manifest.time = this.#given.now();
    deployment.pending_operations = deployment.pending_operations.filter(
      (pending) => pending.type === "creating" || this.#own.has(pending),
    );
  }

  /** Reads the stack as the program does. */
  #readStack(): RecordedStack {
    const { state, folders } = this.#given;
    const notes = readNotes(folders, { stack: STACK, project: PROJECT, engine: this.#address });
    const stack = new RecordedStack(JSON.parse(JSON.stringify(state.stack)), notes);
    forgetNotes(notes, stack.notesToKeep);
    return stack;
  }

  /** Plans the step of a resource. @returns undefined if the run ends. */
  async #plan(
    [name, { alias, ...args }]: [string, Declaration],
    { stack, gate }: { stack: RecordedStack; gate?: string | undefined },
  ) {
    const urn = urnOf(name);
    const aliased = alias === undefined ? undefined : urnOf(alias);
    const old = this.#current(urn) ?? this.#current(aliased);
    if (old !== undefined && old.urn !== urn) this.#aliased.add(old.urn);
    const isTarget = this.#options.replace?.includes(name) ?? false;
    // See src/program/declared.ts.
    const declared: Declared = {
      ...RecordedStack.describe(stack, urn),
      urn,
      organization: "organization",
      given: Object.keys(args),
    };
    // A preview passes none.
    if (gate === undefined) delete declared.gate;
    const news = {
      ...args,
      [DECLARED]: JSON.stringify(declared),
      [PROGRAM_ARGUMENTS]: args,
      ...(args.import && { [OWNERS]: JSON.stringify(stack.ownersOf(args.import)) }),
      __provider: storedProvider,
    };
    const check = async (olds: Properties) => {
      const { inputs, failures = [] } = await this.#call(urn, (provider) =>
        provider.check(olds, { ...news }),
      );
      if (failures.length > 0)
        throw new StepFailure(failures.map(({ property, reason }) => property + reason).join("\n"));
      return { ...Object(inputs), __provider: storedProvider };
    };
    try {
      const inputs = await check(old === undefined || isTarget ? {} : unseal(old.inputs));
      // A program that gives a resource the alias of another one which is still recorded breaks its stack by itself.
      const isOfAlias = aliased !== undefined && this.#current(urn) === undefined;
      const resource = { urn, inputs, ...(isOfAlias && { aliases: [aliased] }) };
      if (old === undefined) return { urn, hasChanges: true, step: () => this.#create(resource) };
      const { id = "" } = old;
      const diff = (provider: WebhookProvider) => provider.diff(id, unseal(old.outputs), inputs);
      const { changes, replaces = [] } = isTarget
        ? { changes: true, replaces: ["id"] }
        : await this.#call(urn, diff);
      if ((changes && replaces.length > 0) || old.pendingReplacement) {
        resource.inputs = isTarget ? inputs : await check({});
        return { urn, hasChanges: true, step: () => this.#create(resource, old) };
      }
      if (changes || (old.initErrors ?? []).length > 0) {
        return { urn, hasChanges: true, step: () => this.#update(old, resource) };
      }
      return { urn, hasChanges: false, step: async () => this.#rename(old, resource) };
    } catch (error) {
      this.#fail(error);
      this.#isStopped = true;
      return undefined;
    }
  }

  /** Finds the record that a resource goes by now. */
  #current(urn: string | undefined): ExportedResource | undefined {
    return this.#webhooks.find((record) => record.urn === urn && !record.delete);
  }

  /** The URNs of the records that an alias renames. */
  readonly #aliased = new Set<string>();

  /** Reports whether a record is deleted after all other steps. */
  #isObsolete({ urn, delete: isReplaced }: ExportedResource): boolean {
    return isReplaced === true || !(nameOf(urn) in this.#given.state.program || this.#aliased.has(urn));
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    if (this.#isStopped && this.#options.isParallel !== true) return;
    try {
      await step();
      this.#save();
    } catch (error) {
      this.#save();
      this.#fail(error);
      if (!this.#options.continueOnError) this.#isStopped = true;
    }
  }

  #fail(error: unknown): void {
    const { message, reasons = [] } = Object(error);
    this.#outcome.ok = false;
    this.#outcome.lines.push(String(message), ...reasons);
  }

  async #create({ urn, inputs, aliases }: Registered, old?: ExportedResource): Promise<void> {
    const type = DYNAMIC_TYPE;
    const provider = providerReference(nameOf(urn));
    const created = { urn, type, custom: true, provider, ...(aliases && { aliases }) };
    // A replacement has the time of what it replaces until it ends.
    const begun = { ...created, inputs: seal(inputs), ...(old?.created && { created: old.created }) };
    const result = await this.#change("creating", begun, (provider) => provider.create(inputs));
    const time = this.#given.now();
    const record = { ...created, ...result, inputs: seal(inputs), created: time, modified: time };
    this.#deployment.resources.push(record);
    if (old?.pendingReplacement) this.#remove(old);
    else if (old !== undefined) Object.assign(old, { delete: true });
    for (const one of this.#webhooks) if (old !== undefined && one.urn === old.urn) one.urn = urn;
    this.#outcome.changes++;
    if (result.initErrors.length > 0) throw new StepFailure(result.initErrors.join("\n"));
  }

  async #update(old: ExportedResource, registered: Registered): Promise<void> {
    const { urn, inputs, aliases } = registered;
    const { id = "" } = old;
    const olds = unseal(old.outputs);
    const begun = { urn, type: DYNAMIC_TYPE, ...(aliases && { aliases }) };
    const result = await this.#change("updating", begun, async (provider) => ({
      id,
      ...(await provider.update(id, olds, inputs)),
    }));
    this.#rename(old, registered);
    const { id: _, ...recorded } = result;
    Object.assign(old, { ...recorded, inputs: seal(inputs), modified: this.#given.now() });
    this.#outcome.changes++;
    if (result.initErrors.length > 0) throw new StepFailure(result.initErrors.join("\n"));
  }

  async #delete(old: ExportedResource): Promise<void> {
    const { urn, id = "", outputs } = old;
    // A record that was deleted for a replacement needs no second delete.
    if (!old.pendingReplacement) {
      const begun = { urn, type: DYNAMIC_TYPE, id };
      await this.#change("deleting", begun, async (provider) => {
        await provider.delete(id, unseal(outputs));
        return { id };
      });
    }
    this.#outcome.changes++;
    this.#remove(old);
  }

  /** Runs an operation that changes a webhook, with its entry among the pending operations. */
  async #change(
    type: string,
    resource: ExportedResource,
    operation: (provider: WebhookProvider) => Promise<{ id: string; outs?: object }>,
  ) {
    const pending = { type, resource };
    this.#own.add(pending);
    this.#deployment.pending_operations.unshift(pending);
    this.#save();
    try {
      const { id, outs } = await this.#call(resource.urn, operation);
      return { id, outputs: seal({ ...outs, __provider: storedProvider }), initErrors: [] };
    } catch (error) {
      const { id, properties, reasons = [] } = Object(error);
      if (id === undefined || properties === undefined) throw error;
      return { id: String(id), outputs: seal(properties), initErrors: reasons as string[] };
    } finally {
      if (this.#isKilled) await never;
      this.#deployment.pending_operations = this.#deployment.pending_operations.filter(
        (one) => one !== pending,
      );
    }
  }

  #rename(old: ExportedResource, { urn, inputs, aliases }: Registered): void {
    for (const one of this.#webhooks) {
      if (one.urn === old.urn && one.urn !== urn) Object.assign(one, { urn, aliases });
    }
    old.inputs = seal(inputs);
  }

  #remove(old: ExportedResource): void {
    this.#deployment.resources = this.#deployment.resources.filter((record) => record !== old);
  }
}

interface Registered {
  urn: string;
  inputs: Properties;
  aliases?: string[];
}

interface ProcessOptions {
  address: string;
  /** That of the explicit Provider. */
  name: string | undefined;
  drift: string;
  folders: readonly string[];
  log: (line: string) => void;
}

/** A process of the dynamic provider. */
class ProviderProcess {
  isDead = false;
  readonly #provider: WebhookProvider;
  readonly #notes: Notes;
  readonly #process = new EmulatedProcess();
  readonly #interruption = new AbortController();
  #reject: (error: Error) => void = () => {};
  readonly #death = new Promise<never>((_, reject) => {
    this.#reject = reject;
  });

  constructor({ address, name, drift, folders, log }: ProcessOptions) {
    this.#death.catch(() => {});
    this.#notes = new Notes({ folders, engine: address, interruption: this.#interruption.signal });
    this.#provider = new WebhookProvider({ log: { warn: log, progress: log }, notes: this.#notes });
    const config: Record<string, string | undefined> = {
      "webhooks:explicitProvider": name,
      "webhooks:apiKey": KEY,
      "webhooks:baseUrl": BASE_URL,
      "webhooks:drift": drift,
      // Less than the first pause before a retry: nothing is sent twice.
      "webhooks:deadlineSeconds": "0.1",
    };
    const get = (key: string) => config[key];
    void this.#provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
  }

  async call<Result>(
    urn: string,
    operation: (provider: WebhookProvider) => Promise<Result>,
  ): Promise<Result> {
    if (this.isDead) throw eof();
    const run = () => sendAs(urn, () => operation(this.#provider));
    const result = await Promise.race([this.#process.run(run), this.#death]);
    if (this.isDead) throw eof();
    return result;
  }

  die(): void {
    this.#process.end();
    this.#interruption.abort();
    this.#reject(eof());
  }

  /** @param isWell whether the engine has saved all results. */
  end(isWell: boolean): void {
    if (!isWell || this.isDead) this.#interruption.abort();
    this.#notes.end();
    this.#process.end();
  }
}

const eof = () => new StepFailure("error reading from server: EOF");
