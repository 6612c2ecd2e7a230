import { WebhookLifecycle } from "../lifecycle/lifecycle.js";
import type { Changes, Properties, ReadResult, Received, Result } from "../lifecycle/values.js";
import { forgetStrays } from "../pulumi/stack-reading.js";
import type { Surroundings } from "../pulumi/surroundings.js";
import { isInDoubt } from "../record/in-doubt-id.js";
import { ignoredOf, KEY, keyOf, type ResourceContext, writeKey } from "../record/properties.js";
import { UNKNOWN } from "../record/special-values.js";
import type { StackName } from "../record/stack-name.js";
import { logicalNameOf, stackOf } from "../record/urn.js";
import type { ParsedSettings } from "../settings/settings.js";
import { StackBeforeRun } from "../stack/stack-before-run.js";
import { failed } from "../wording/errors.js";
import { findSettingProblems, parseProviderSettings } from "./provider-settings.js";
import { toStruct } from "./struct.js";

/** Inputs, and what is wrong with them, a sentence each. */
export interface CheckResult extends Received {
  problems: readonly string[];
}

/** What the engine passes with an operation on a resource. */
interface Operation {
  urn: string;
  id: string;
  /** The option `customTimeouts` for the operation, in seconds. Undefined if the program does not set it. */
  deadlineSeconds?: number | undefined;
}

interface Change extends Operation {
  olds: Received;
  news: Received;
}

/** The lifecycle of webhooks, as the engine asks a plugin for it: with URNs, secrets, and previews of creates and updates. */
export class WebhookPlugin {
  readonly #surroundings: Surroundings;
  readonly #lifecycle: WebhookLifecycle;
  #settings: ParsedSettings = { problems: [] };
  #found: Promise<StackName | Error> | undefined;
  #reading: Promise<StackBeforeRun | undefined> | undefined;
  #hasSecretBaseUrl = false;
  /** The noted creates whose webhooks are not in the state, until an up has named them. */
  #strays: StackBeforeRun["strays"] = [];

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#lifecycle = new WebhookLifecycle(surroundings.log, surroundings.signal, surroundings.notes);
  }

  /** Checks the settings. */
  async checkConfig(urn: string, inputs: Received): Promise<CheckResult> {
    const { problems, warnings } = findSettingProblems({ urn, inputs, stack: await this.#name(urn) });
    for (const line of warnings) await this.#surroundings.log.warn(line);
    return { values: inputs.values, secrets: new Set([...inputs.secrets, "apiKey"]), problems };
  }

  /** Sets the settings of the provider with this URN. */
  async configure(urn: string, inputs: Received): Promise<void> {
    const settings = parseProviderSettings({ urn, inputs, stack: await this.#name(urn) });
    this.#settings = settings;
    this.#hasSecretBaseUrl = inputs.secrets.has("baseUrl");
    this.#lifecycle.configure(settings);
  }

  async check({ urn, olds, news }: { urn: string; olds: Received; news: Received }): Promise<CheckResult> {
    const { import: importId, ...given } = news.values;
    const checked = await this.#lifecycle.check({
      context: await this.#contextOf(urn, given),
      olds: olds.values,
      news: { ...news, values: given },
    });
    const values = {
      ...checked.inputs,
      ...(checked.stamp !== undefined && { [KEY]: writeKey(urn, checked.stamp) }),
    };
    const problems = [...checked.problems];
    // With ignoreChanges the engine copies the recorded input of the dynamic provider.
    if (importId !== undefined && importId !== olds.values.import) problems.push(IMPORT_IS_AN_OPTION);
    return { values, secrets: secretNamesOf(news), problems };
  }

  /** @param ignored what the option `ignoreChanges` names. */
  diff({ urn, id, olds, news, ignored }: Change & { ignored: readonly string[] }): Promise<Changes> {
    return this.#lifecycle.diff({
      key: keyOf(urn),
      id,
      olds,
      news,
      ignored: ignoredOf(ignored),
    });
  }

  /** @throws WebhookError also if the stack is not known: it may have an unresolved create of this webhook. */
  async create({
    urn,
    inputs,
    deadlineSeconds,
  }: Omit<Operation, "id"> & { inputs: Received }): Promise<Result> {
    const stack = await this.#find(urn);
    if (stack instanceof Error) throw failed("Creating a webhook", `no request was sent. ${stack.message}`);
    this.#forgetStrays();
    return this.#lifecycle.create({ key: keyOf(urn), inputs, deadlineSeconds });
  }

  /** Returns the outputs that a create is going to have, as far as they are known. */
  previewCreate({ values }: Received): Properties {
    return this.#preview(values, values.secret === undefined ? { generatedSecret: UNKNOWN } : {});
  }

  async update({ urn, id, olds, news, deadlineSeconds }: Change): Promise<Result> {
    this.#forgetStrays();
    return this.#lifecycle.update({ key: keyOf(urn), id, olds, news, deadlineSeconds });
  }

  /** Returns the outputs that an update is going to have. The update of an unresolved webhook fails, and changes nothing. */
  async previewUpdate({ urn, id, olds, news }: Change): Promise<Properties> {
    if (isInDoubt(id) || this.#lifecycle.isOnlyRecorded(keyOf(urn))) return olds.values;
    return this.#preview(news.values, olds.values);
  }

  /** Reads a webhook that is recorded. @returns undefined if it is gone. */
  async read({ id, outputs }: Operation & { outputs: Received }): Promise<ReadResult | undefined> {
    const isRecorded = outputs.values.baseUrl !== undefined || isInDoubt(id);
    if (!isRecorded) throw failed(`Reading webhook ${id}`, NO_READ);
    return this.#lifecycle.read(id, outputs);
  }

  /** Reads a webhook that the engine imports. */
  async readImport({ urn, id }: Operation): Promise<ReadResult> {
    const stack = await this.#read(urn);
    const context = { ...(await this.#contextOf(urn, {})), owners: stack?.ownersOf(id) ?? [] };
    return this.#lifecycle.readImport({ id, context });
  }

  delete({ id, outputs, ...known }: Operation & { outputs: Received }): Promise<void> {
    this.#forgetStrays();
    return this.#lifecycle.delete(id, outputs, known);
  }

  /** Writes outputs for a reply. Those are secrets that were one in what was received, and those that are marked. */
  toStruct(values: Properties, ...received: readonly Received[]): ReturnType<typeof toStruct> {
    const secrets = new Set(secretNamesOf(...received));
    if (this.#hasSecretBaseUrl) secrets.add("baseUrl");
    return toStruct(values, secrets);
  }

  /** Describes a resource that check receives, as the program of the dynamic provider does. */
  async #contextOf(urn: string, given: Properties): Promise<ResourceContext> {
    return {
      urn,
      organization: (await this.#name(urn))?.organization,
      given: Object.keys(given),
      defaultName: logicalNameOf(urn),
      ...StackBeforeRun.describe(await this.#read(urn), { urn, closedGate: "refuses" }),
    };
  }

  /** Finds the name of the stack, once. @param urn that of a resource of it. @returns an error that says why it is not known. */
  #find(urn: string): Promise<StackName | Error> {
    this.#found ??= this.#surroundings
      .completeName(stackOf(urn, undefined))
      .catch((error) => (error instanceof Error ? error : new Error(String(error))));
    return this.#found;
  }

  async #name(urn: string): Promise<StackName | undefined> {
    const found = await this.#find(urn);
    return found instanceof Error ? undefined : found;
  }

  /** Reads the stack's state, once. A refresh or a destroy does not need it, and ends the process earlier. */
  #read(urn: string): Promise<StackBeforeRun | undefined> {
    this.#reading ??= this.#readStack(urn);
    return this.#reading;
  }

  #preview({ url, name, enabled, secret }: Properties, olds: Properties): Properties {
    const { createdAt = UNKNOWN, generatedSecret } = olds;
    const baseUrl = "settings" in this.#settings ? this.#settings.settings.baseUrl : undefined;
    return { url, name, enabled, secret, generatedSecret, baseUrl, createdAt, updatedAt: UNKNOWN };
  }

  async #readStack(urn: string): Promise<StackBeforeRun | undefined> {
    const { log, signal, readStack } = this.#surroundings;
    // The end of a run ends the reading, too. Nothing is sent from then on.
    const warn = (line: string) => (signal?.aborted ? undefined : log.warn(line));
    const name = await this.#find(urn);
    if (name instanceof Error)
      return void (await warn(`The state of this stack was not read. ${name.message}`));
    // A plugin does not know whether this is a preview: it warns, and refuses what only an up asks for.
    const stack = await readStack(name, { closedGate: "warns", warn });
    this.#strays = stack?.strays ?? [];
    return stack;
  }

  /** Forgets the webhooks that are not in the state: this is an up, which has named them. */
  #forgetStrays(): void {
    forgetStrays(this.#strays);
    this.#strays = [];
  }
}

/** The SDKs of all languages have a method that reads a webhook by its id. */
const NO_READ =
  "the API has no read operation. Declare the webhook with the option import, or pass its id as config.";

const IMPORT_IS_AN_OPTION =
  "import: not an input of a webhook; to import a webhook, set the option import of the resource";

/** Returns the names of what is a secret in what was received. The webhook's own one is in any case. */
const secretNamesOf = (...received: readonly Received[]): ReadonlySet<string> =>
  new Set([...received.flatMap(({ secrets }) => [...secrets]), "secret", "generatedSecret"]);
