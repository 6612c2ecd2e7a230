import { WebhookError } from "../errors.js";
import type { Journal } from "../journal/journal.js";
import { forgetCreates } from "../journal/sent-creates.js";
import type { Difference } from "../lifecycle/diff.js";
import { UNKNOWN } from "../lifecycle/inputs.js";
import { WebhookLifecycle } from "../lifecycle/lifecycle.js";
import { interruptedAsProblem } from "../lifecycle/messages/in-doubt.js";
import type { ReadResult } from "../lifecycle/read.js";
import type { Properties, Result } from "../lifecycle/run.js";
import type { Log } from "../lifecycle/session.js";
import type { ParsedSettings } from "../settings/settings.js";
import { DECLARED_SECRET, SECRET_NAME, SECRET_URL } from "../stack/hidden-properties.js";
import { containsInDoubtId, isInDoubt } from "../stack/in-doubt.js";
import type { RecordedStack } from "../stack/recorded-stack.js";
import { RESOLVE } from "../stack/resolve-command.js";
import { keyOf } from "../stack/resource-key.js";
import { PLUGIN_TYPE, providerNameOf, WEBHOOK_TYPE } from "../stack/stack-export.js";
import { interruptedWarnings, unreadableWarning } from "../stack/stack-reading.js";
import { Declarations } from "./declarations.js";
import type { Received } from "./properties.js";
import { findSettingProblems, parseProviderSettings } from "./provider-settings.js";
import { stackOf } from "./urn.js";

/** What a process of the plugin has of its surroundings. */
export interface Surroundings {
  log: Log;
  /** Connects to the engine. When the signal aborts, nothing more is sent. */
  connect: () => AbortSignal | undefined;
  /** Reads the state of the running stack. */
  readStack: (running: { stack: string; project: string }) => Promise<RecordedStack>;
  journal: Journal;
}

/** Inputs or outputs for a reply, and the names of those that are secrets. */
export interface Replied {
  values: Properties;
  secrets: ReadonlySet<string>;
}

/** Inputs, and what is wrong with them, a sentence each. */
export interface CheckResult extends Replied {
  problems: readonly string[];
}

interface Existing {
  urn: string;
  id: string;
}

/** The lifecycle of webhooks, as the engine asks a plugin for it: with URNs, secrets, and previews of creates and updates. */
export class WebhookPlugin {
  readonly #surroundings: Surroundings;
  readonly #lifecycle: WebhookLifecycle;
  #settings: ParsedSettings = { problems: [], storedProblems: [] };
  #urn = "";
  #declarations: Promise<Declarations> | undefined;
  #forgetting: Promise<void> | undefined;
  #hasSecretBaseUrl = false;
  /** The URNs of the resources that the program declares. A refresh compares, too, but checks no inputs. */
  readonly #checked = new Set<string>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#lifecycle = new WebhookLifecycle(surroundings.log, surroundings.connect, surroundings.journal);
  }

  /** Whether the engine must read each webhook before it compares: only a probe finds anything. */
  get refreshesBeforeUpdate(): boolean {
    if ("problems" in this.#settings) return false;
    const { drift, refreshBeforeUpdate } = this.#settings.settings;
    return refreshBeforeUpdate && drift === "probe";
  }

  /** Checks the settings. */
  checkConfig(urn: string, inputs: Received): CheckResult {
    const problems = findSettingProblems({ urn, inputs });
    return { values: inputs.values, secrets: new Set([...inputs.secrets, "apiKey"]), problems };
  }

  /** Sets the settings of the provider with this URN. */
  configure(urn: string, inputs: Received): void {
    const settings = parseProviderSettings({ urn, inputs });
    this.#settings = settings;
    this.#urn = urn;
    this.#hasSecretBaseUrl = inputs.secrets.has("baseUrl");
    this.#lifecycle.configure(settings);
  }

  async check({ urn, olds, news }: { urn: string; olds: Received; news: Received }): Promise<CheckResult> {
    const declarations = await this.#declared();
    const { import: importId, ...given } = news.values;
    const declared = declarations.describe({ urn, olds: olds.values, news: given });
    this.#checked.add(urn);
    const checked = await this.#lifecycle.check({
      declared,
      olds: olds.values,
      news: { ...withMarks({ ...news, values: given }), [DECLARED_SECRET]: given.secret },
    });
    const { [SECRET_NAME]: _, [SECRET_URL]: __, ...values } = checked.inputs;
    const problems = [...checked.problems];
    // With ignoreChanges the engine copies the recorded input of the dynamic provider.
    if (importId !== undefined && importId !== olds.values.import) problems.push(IMPORT_IS_AN_OPTION);
    return { values, secrets: this.#secretsOf(news), problems };
  }

  async diff({
    urn,
    id,
    olds,
    news,
    ignored,
  }: Existing & { olds: Received; news: Received; ignored: readonly string[] }): Promise<Difference> {
    const isDeclared = this.#checked.has(urn);
    const past = isDeclared ? (await this.#declared()).pastOf(urn, id) : undefined;
    if (past?.interruptedAs !== undefined) {
      const detail = interruptedAsProblem(past.interruptedAs);
      throw new WebhookError({ summary: `Comparing webhook ${id} failed`, detail });
    }
    return this.#lifecycle.diff({
      key: keyOf(urn),
      id,
      olds: olds.values,
      news: withMarks(news),
      past,
      ignored: FIELDS.filter((field) => ignored.includes(field) || ignored.includes("*")),
    });
  }

  async create(urn: string, inputs: Received): Promise<Result> {
    await this.#beforeChange(inputs);
    return this.#lifecycle.create({ key: keyOf(urn), inputs: withMarks(inputs) });
  }

  /** Returns the outputs that a create is going to have, as far as they are known. */
  previewCreate({ values }: Received): Properties {
    return this.#preview(values, {});
  }

  async update({ urn, id, olds, news }: Existing & { olds: Received; news: Received }): Promise<Result> {
    await this.#beforeChange(news);
    return this.#lifecycle.update({ key: keyOf(urn), id, olds: olds.values, news: withMarks(news) });
  }

  /** Returns the outputs that an update is going to have. That of a webhook in doubt fails, and changes nothing. */
  previewUpdate({ id, olds, news }: { id: string; olds: Received; news: Received }): Properties {
    return isInDoubt(id) ? olds.values : this.#preview(news.values, olds.values);
  }

  /** Reads a webhook that is recorded, or that the program only reads. @returns undefined if it is gone. */
  read(id: string, { values }: Received): Promise<ReadResult | undefined> {
    return this.#lifecycle.read(id, values);
  }

  /** Reads a webhook that the engine imports. */
  async readImport({ urn, id }: Existing): Promise<ReadResult> {
    const declarations = await this.#declared();
    const holders = declarations.holdersOf(id, { urn });
    return this.#lifecycle.readImport({ key: keyOf(urn), id, holders, past: declarations.pastOfImport(urn) });
  }

  delete(id: string, { values }: Received): Promise<void> {
    return this.#lifecycle.delete(id, values);
  }

  /** Returns outputs with the names of those that are secrets: those of what was received, and those that are marked. */
  toReply(values: Properties, ...received: readonly Received[]): Replied {
    const secrets = new Set([...received.flatMap((one) => [...this.#secretsOf(one)]), "secret"]);
    if (values[SECRET_URL] === true) secrets.add("url");
    if (values[SECRET_NAME] === true) secrets.add("name");
    if (this.#hasSecretBaseUrl) secrets.add("baseUrl");
    return { values, secrets };
  }

  #secretsOf({ secrets }: Received): ReadonlySet<string> {
    return new Set([...secrets, "secret"]);
  }

  /** Reads the stack's state, once. A refresh or a destroy does not need it, and ends the process earlier. */
  #declared(): Promise<Declarations> {
    this.#declarations ??= this.#readStack().then((stack) => new Declarations(stack, this.#settings));
    return this.#declarations;
  }

  /**
   * Forgets the creates of earlier runs whose outcome is recorded, once. A preview does not: an up may run beside it.
   *
   * @throws WebhookError if an input contains the id of a webhook in doubt. A preview has no effect.
   */
  async #beforeChange({ values }: Received): Promise<void> {
    const field = FIELDS.find((name) => containsInDoubtId(values[name]));
    if (field !== undefined) throw idInDoubtError(field);
    this.#forgetting ??= this.#declared().then(({ settled }) => forgetCreates(settled));
    await this.#forgetting;
  }

  #preview({ url, name, enabled, secret }: Properties, { createdAt = UNKNOWN }: Properties): Properties {
    const baseUrl = "settings" in this.#settings ? this.#settings.settings.baseUrl : undefined;
    return { url, name, enabled, secret, baseUrl, createdAt, updatedAt: UNKNOWN };
  }

  async #readStack(): Promise<RecordedStack | undefined> {
    const { log, connect, readStack } = this.#surroundings;
    const urn = this.#urn;
    try {
      const stack = await readStack(stackOf(urn));
      // Of a stack that has moved from the dynamic provider, no program may warn.
      const interrupted = [PLUGIN_TYPE, WEBHOOK_TYPE].flatMap((type) => stack.interruptedOf(type));
      const own = interrupted.filter(({ provider }) => provider === providerNameOf(urn));
      // The engine asks about no webhook that the program no longer declares.
      // A plugin does not know whether this is a preview.
      await Promise.all(interruptedWarnings(own, true).map((warning) => log.warn(warning)));
      return stack;
    } catch (error) {
      // The end of a run ends the reading, too. Nothing is sent from then on.
      if (connect()?.aborted !== true) await log.warn(unreadableWarning(error));
      return undefined;
    }
  }
}

const FIELDS = ["url", "name", "enabled", "secret"];

const IMPORT_IS_AN_OPTION =
  "import: not an input of a webhook; to import a webhook, set the option import of the resource";

function idInDoubtError(field: string): WebhookError {
  return new WebhookError({
    summary: `The ${field} of a webhook contains the id of another one that is in doubt`,
    detail: `no request was sent. That is no id of the API. Look for the other webhook in the dashboard, then run ${RESOLVE}.`,
  });
}

/** Adds the marks of a secret name and a secret URL, which messages do not show. */
function withMarks({ values, secrets }: Received): Properties {
  return {
    ...values,
    ...(secrets.has("name") && { [SECRET_NAME]: true }),
    ...(secrets.has("url") && { [SECRET_URL]: true }),
  };
}
