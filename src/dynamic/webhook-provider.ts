import type { dynamic } from "@pulumi/pulumi";
import { WebhookClient } from "../client/client.js";
import type { Failure } from "../errors.js";
import { WebhookError } from "../errors.js";
import { findContradiction, findCreationBeforeDoubt } from "../lifecycle/contradiction.js";
import type { DoubtfulCreate } from "../lifecycle/doubt-tracker.js";
import { DoubtTracker } from "../lifecycle/doubt-tracker.js";
import { compare, isCleared } from "../lifecycle/drift.js";
import { ImportTracker } from "../lifecycle/import-tracker.js";
import type { Inputs } from "../lifecycle/inputs.js";
import { checkInputs, isSecretFromTransform, parseInputs, UNKNOWN } from "../lifecycle/inputs.js";
import * as messages from "../lifecycle/messages.js";
import type { Absence } from "../lifecycle/missing-webhooks.js";
import { MissingWebhooks } from "../lifecycle/missing-webhooks.js";
import {
  asRecorded,
  keepSecret,
  toInDoubtFailure,
  toInterruptedFailure,
} from "../lifecycle/recorded-failures.js";
import * as recovery from "../lifecycle/recovery-messages.js";
import { RepeatedFailures } from "../lifecycle/repeated-failures.js";
import { findReplacingChanges } from "../lifecycle/replacement.js";
import { secretsOf } from "../lifecycle/secrets.js";
import { findStackProblems, toHiddenInputs } from "../lifecycle/stack-problems.js";
import type { State } from "../lifecycle/state.js";
import { parseState, replaceState, toInputs, toReadResult, toState } from "../lifecycle/state.js";
import type { SettingGuide } from "../settings/setting-guide.js";
import type { ParsedSettings, Settings } from "../settings/settings.js";
import { parseSettings } from "../settings/settings.js";
import { DRIFTED_FIELDS, INTERRUPTED, RECORDED } from "../stack/hidden-properties.js";
import { isInDoubt } from "../stack/in-doubt.js";
import type { InterruptedCreate, RecordedFacts } from "../stack/recorded-facts.js";
import type { Named } from "../stack/shown-name.js";
import { shownName, toNamed } from "../stack/shown-name.js";
import type { EngineLog } from "./log.js";

/** Inputs and outputs as Pulumi passes them: parsed before anything is done with them. */
type Properties = Record<string, unknown>;

const UNCONFIGURED = "The provider was used before it was configured.";

/**
 * The lifecycle of a webhook.
 *
 * One instance serves all webhooks of one provider process, many at a time, and so shares one client. Its methods never
 * receive a resource's URN, and they receive secrets in plain text.
 */
export class WebhookProvider implements dynamic.ResourceProvider<Properties, Properties> {
  readonly #log: EngineLog;
  readonly #connect: () => AbortSignal | undefined;
  readonly #imports = new ImportTracker();
  readonly #doubts = new DoubtTracker();
  readonly #missing = new MissingWebhooks();
  #settings: ParsedSettings = { problems: [UNCONFIGURED], storedProblems: [UNCONFIGURED] };
  #client: WebhookClient | undefined;
  /** The recorded webhooks whose inputs were checked, by their ids. */
  readonly #checked = new Set<string>();
  /** Whether this is an up or its preview. A refresh compares, too, but never checks inputs. */
  #runsProgram = false;
  /** The webhooks that this process created, by their ids. */
  readonly #created = new Map<string, Named>();
  /** The ids of webhooks whose older records are dropped, such as those that this process updated. */
  readonly #current = new Set<string>();
  readonly #failures = new RepeatedFailures((line) => this.#log.warn(line));
  readonly #shownLines = new Set<string>();

  /** @param connect connects to the engine. When the signal aborts, nothing more is sent. Default: there is no engine. */
  constructor(log: EngineLog, connect: () => AbortSignal | undefined = () => undefined) {
    this.#log = log;
    this.#connect = connect;
  }

  /**
   * Stores the settings; check reports their problems. It neither waits nor throws: the SDK uses the provider for other
   * webhooks before this has ended, and after it has failed.
   */
  async configure({ config }: dynamic.ConfigureRequest): Promise<void> {
    this.#settings = parseSettings({ config: (key) => config.get(key), environment: process.env });
    this.#client = undefined;
  }

  /**
   * Checks inputs and settings, and fills in defaults. A failure never names its property: the CLI would print the
   * value along with it. With `ignoreChanges` the engine copies recorded inputs, and so the marks of drift, which are dropped.
   */
  async check(
    olds: Properties,
    { [RECORDED]: recorded, changedOutsidePulumi, notFound, ...news }: Properties,
  ): Promise<dynamic.CheckResult<Properties>> {
    this.#runsProgram = true;
    const { inputs, problems } = checkInputs(news);
    if (isSecretFromTransform(olds, news)) {
      await this.#log.warn(messages.secretFromTransformWarning(toNamed(inputs)));
    }
    if (typeof inputs.import === "string") this.#imports.declare(inputs.import);
    const facts = (recorded ?? {}) as RecordedFacts; // From this package, in the program.
    const { recordedId, replacedIds = [] } = facts;
    // The engine passes no olds if it is going to create: a new webhook, or the replacement of one.
    const isCreate = Object.keys(olds).length === 0;
    if (recordedId !== undefined) {
      this.#doubts.declare(recordedId, inputs);
      if (!replacedIds.includes(recordedId)) this.#doubts.keep(replacedIds, { id: recordedId, inputs });
      // A create of an earlier run returned the id of the webhook that it was to replace: it stays, if not replaced now.
      else if (isCreate) this.#current.delete(recordedId);
      else this.#current.add(recordedId);
    }
    const isReplacement = isCreate && recordedId !== undefined && this.#checked.has(recordedId);
    if (!isCreate && recordedId !== undefined) this.#checked.add(recordedId);
    if ("problems" in this.#settings) problems.push(...this.#settings.problems);
    else problems.push(...findStackProblems({ facts, inputs, isCreate, isReplacement, ...this.#settings }));
    return {
      inputs: { ...inputs, ...toHiddenInputs(facts) },
      failures: problems.map((reason) => ({ property: "", reason })),
    };
  }

  /**
   * Decides what a change of inputs does. The API's update accepts url, name and enabled, and no secret.
   *
   * @throws WebhookError if going on would touch a webhook at another URL, or lose an imported one.
   */
  async diff(id: string, olds: Properties, news: Properties): Promise<dynamic.DiffResult> {
    const recorded = parseState(olds);
    if (recorded === undefined) return { changes: true };
    const { settings, guide } = this.#ready(`Comparing ${messages.label(id, recorded)}`);
    refuseOtherUrl({ id, recorded, settings, guide });
    if (isInDoubt(id)) return this.#diffInDoubt(id, recorded, news);

    const isInterrupted = news[INTERRUPTED] !== undefined;
    if (news.import !== undefined && news.import !== UNKNOWN && news.import !== id) {
      // A person has found the replacement that was interrupted.
      if (isInterrupted) return { changes: true, replaces: ["import"] };
      throw messages.otherImportError({ id, webhook: recorded, importId: news.import });
    }
    // A value that a preview does not know yet may be the recorded one: an import is not refused because of it.
    const mayBeSame = (field: string) => news[field] === UNKNOWN && news.import === id;
    const replaces = findReplacingChanges(recorded, news).filter((field) => !mayBeSame(field));
    if (replaces.length > 0) {
      const replacement = { id, webhook: recorded, replaces };
      if (news.import === id) throw messages.replacementWithImportError(replacement);
      this.#log.progress(messages.replacementProgress(replacement));
      this.#doubts.declare(id, news);
      return { changes: true, replaces };
    }
    if (recorded.notFound && news.import !== id) return { changes: true, replaces: ["notFound"] };
    const hasChanged = (["url", "name", "enabled"] as const).some((field) => news[field] !== recorded[field]);
    // Nothing else explains why a preview plans to update a webhook whose inputs did not change.
    if (recorded.inDoubtId) await this.#log.warn(recovery.unverifiedIdWarning(id, recorded));
    else if (recorded.unconfirmed) await this.#log.warn(messages.unconfirmedWarning(id, recorded));
    const { changedOutsidePulumi, unconfirmed, notFound } = recorded;
    const isMarked = changedOutsidePulumi !== undefined || unconfirmed === true || notFound === true;
    const isUncertain = isMarked || isInterrupted;
    if (hasChanged || isUncertain || !this.#runsProgram) return { changes: hasChanged || isUncertain };
    // A full update proves that the webhook exists at the new URL, and records it.
    const hasMoved = recorded.baseUrl !== settings.baseUrl;
    if (hasMoved) await this.#showOnce("warn", messages.movedWarning(settings, guide));
    const isEnforced = settings.drift === "enforce";
    if (isEnforced) await this.#showOnce("warn", messages.enforcedWarning(guide));
    return { changes: hasMoved || isEnforced };
  }

  /** A webhook in doubt always changes: its create fails again in update, which a preview does not call. */
  async #diffInDoubt(id: string, recorded: State, news: Properties): Promise<dynamic.DiffResult> {
    if (news.import === undefined) {
      await this.#log.warn(messages.inDoubtWarning(id, recorded));
      return { changes: true };
    }
    if (news.secret !== UNKNOWN && news.secret !== recorded.secret) {
      throw messages.otherSecretInDoubtError(id, recorded);
    }
    this.#imports.resolve(id, news);
    return { changes: true, replaces: ["import"] };
  }

  /** Creates a webhook, or imports the one whose id is declared with the option import. */
  async create(properties: Properties): Promise<dynamic.CreateResult<Properties>> {
    return this.#failures.run(
      JSON.stringify(properties),
      () => this.#create(properties),
      ({ id, properties: outs }) => ({ id, outs }),
    );
  }

  async #create(properties: Properties): Promise<dynamic.CreateResult<Properties>> {
    const { __provider } = properties;
    const interrupted = properties[INTERRUPTED] as InterruptedCreate | undefined; // From check.
    const inputs = parseInputs(properties);
    if ("import" in inputs) return this.#imports.take(inputs.import) ?? this.#import(inputs.import, inputs);

    const action = `Creating webhook ${shownName(inputs)}`;
    const { settings, client } = this.#ready(action);
    const created = { __provider, inputs, settings };
    if (interrupted !== undefined) {
      this.#doubts.add(inputs, { sentAt: new Date(interrupted.at), reason: recovery.RUN_KILLED });
      throw toInterruptedFailure({ ...created, interrupted });
    }
    const earlier = this.#doubts.find(inputs);
    if (earlier !== undefined) {
      throw toInDoubtFailure({ ...created, ...earlier, reason: recovery.sentBeforeReason(earlier.reason) });
    }
    const sentAt = new Date();
    const recordDoubt = (reason: string) => {
      const doubtful: DoubtfulCreate = { sentAt, reason };
      this.#doubts.add(inputs, doubtful);
      return toInDoubtFailure({ ...created, ...doubtful });
    };
    const { id, ...reply } = await client
      .create(inputs, { action, secrets: secretsOf(inputs) })
      .catch((error) => {
        throw hadNoEffect(error) ? error : recordDoubt(reasonOf(error));
      });
    const owner = this.#ownerOf(id);
    if (owner !== undefined) throw recordDoubt(messages.sameIdReason(id, owner));
    // The engine saves the id later than this, and forgets it if it is killed in between.
    this.#log.progress(`Created ${messages.label(id, inputs)}.`);
    this.#created.set(id, toNamed(inputs));
    const outs = toState({ inputs, settings, reply, isCreate: true });
    const contradiction = findContradiction({ reply, sent: inputs });
    if (contradiction === undefined) {
      this.#doubts.resolve({ id, inputs });
      return { id, outs };
    }
    // The webhook exists, and must be in the state: a failed create with an id is recorded, and updated by the next up.
    const failure = messages.contradictedError(`Creating ${messages.label(id, inputs)}`, contradiction);
    this.#doubts.add(inputs, { sentAt, reason: `the reply had the id ${id}; ${contradiction}.` });
    throw asRecorded(failure, id, { __provider, ...outs, unconfirmed: true });
  }

  /** Sends all fields. A webhook in doubt stays as it is: nothing is sent until a person has looked. */
  async update(id: string, olds: Properties, news: Properties): Promise<dynamic.UpdateResult<Properties>> {
    return this.#failures.run(
      id,
      () => this.#update(id, olds, news),
      ({ properties: outs }) => ({ outs }),
    );
  }

  async #update(id: string, olds: Properties, news: Properties): Promise<dynamic.UpdateResult<Properties>> {
    const inputs = parseInputs(news);
    const action = `Updating ${messages.label(id, inputs)}`;
    const recorded = parseState(olds);
    if (recorded === undefined) throw messages.unreadableStateError(action);
    if (isInDoubt(id)) {
      const reason = recorded.interrupted ? recovery.RUN_KILLED : "an earlier run got no clear reply.";
      throw asRecorded(messages.inDoubtError({ id, webhook: recorded, reason }), id, keepSecret(olds));
    }
    if (news[INTERRUPTED] !== undefined) throw recovery.interruptedReplacementError(id, recorded);
    const { settings, guide, client } = this.#ready(action);
    refuseOtherUrl({ id, recorded, settings, guide });
    try {
      const record = await client.update(id, inputs, { action, secrets: secretsOf(inputs, recorded) });
      this.#missing.found();
      const contradiction = findContradiction({ reply: record, sent: inputs, recorded });
      if (contradiction !== undefined) throw messages.contradictedError(action, contradiction);
      const createdBefore = findCreationBeforeDoubt(record, recorded);
      if (createdBefore !== undefined) throw recovery.olderWebhookError(id, recorded, createdBefore);
      this.#doubts.resolve({ id, inputs });
      this.#current.add(id);
      const { adoptedAt, createdAt } = recorded;
      const reply = { ...record, createdAt: record.createdAt ?? createdAt };
      return { outs: toState({ inputs, settings, reply, adoptedAt }) };
    } catch (error) {
      if (failedAs("gone", error) && recorded.inDoubtId) throw recovery.wrongIdError(id, recorded);
      if (!failedAs("unconfirmed", error)) throw error;
      // Recorded as failed, or an up after the change was reverted would find nothing to do.
      throw asRecorded(error, id, { ...keepSecret(olds), unconfirmed: true });
    }
  }

  /**
   * Compares with the API as far as that is possible. Without the probe the record stays as it is. A probe's
   * result is returned, also as inputs: a preview shows those, and the next up reverts them. The mark of an earlier probe
   * is dropped.
   */
  async read(
    id: string,
    { [DRIFTED_FIELDS]: _, ...properties }: Properties = {},
  ): Promise<dynamic.ReadResult<Properties>> {
    const recorded = parseState(properties);
    const action = `Reading ${messages.label(id, recorded)}`;
    if (isInDoubt(id)) {
      if (recorded === undefined) throw messages.nothingToReadError(action);
      return { id, props: properties };
    }
    const { settings, guide, client } = this.#ready(action);
    if (settings.drift !== "probe") {
      if (recorded === undefined) throw messages.readNeedsProbeError(action, guide);
      if (settings.drift === "off") await this.#showOnce("warn", messages.nothingComparedWarning(guide));
      else await this.#showOnce("progress", messages.enforcedReadProgress(guide));
      return { id, props: properties };
    }

    if (recorded !== undefined) refuseOtherUrl({ id, recorded, settings, guide });
    const probe = client.probe(id, { action, secrets: secretsOf(recorded) });
    const { found: probed, missing } = await this.#missing.weigh(messages.label(id, recorded), probe);
    if (probed === undefined) {
      if (recorded === undefined) throw messages.nothingToReadError(action);
      return this.#readMissing({ id, properties, recorded, missing });
    }
    if (isCleared(probed)) await this.#log.warn(messages.clearedFieldsWarning(id, guide));
    // Webhook.get: there is no record to compare with.
    if (recorded === undefined) return { id, props: toReadResult(probed, settings) };
    const { state, hasDrift, comparesUrl } = compare(recorded, probed);
    // The next up sends the url of an unconfirmed webhook anyway. Before that, there is no time to compare with.
    if (!comparesUrl && !isCleared(probed) && !recorded.unconfirmed)
      await this.#showOnce("warn", messages.urlsNotComparedWarning(guide));
    const props = replaceState(properties, state);
    return hasDrift ? { id, props, inputs: toInputs(state) } : { id, props };
  }

  /** Removes a missing webhook from the state, if its absence is proven. Else the record stays. */
  async #readMissing({
    id,
    properties,
    recorded,
    missing,
  }: Missing): Promise<dynamic.ReadResult<Properties>> {
    const { guide } = this.#ready(`Reading ${messages.label(id, recorded)}`);
    if (missing === "implausible") {
      const { labels } = this.#missing;
      throw messages.allMissingError({ id, webhook: recorded, labels, guide });
    }
    if (recorded.inDoubtId !== undefined) {
      // The id that a person entered is wrong: the webhook is still in doubt, and must not be created again.
      await this.#log.warn(recovery.wrongIdError(id, recorded).message);
      return { id, props: properties };
    }
    if (missing === "proven") {
      await this.#log.warn(messages.removedWarning(id, recorded));
      return {};
    }
    await this.#log.warn(messages.notFoundWarning(id, recorded, guide));
    const state: State = { ...recorded, notFound: true };
    return { id, props: replaceState(properties, state), inputs: toInputs(state) };
  }

  /**
   * Deletes a webhook; one that the API no longer has counts as deleted. The older record of a webhook that was imported
   * again, that this run updated, or whose id a create returned, is dropped, and the webhook stays.
   */
  async delete(id: string, properties: Properties): Promise<void> {
    const recorded = parseState(properties);
    const action = `Deleting ${messages.label(id, recorded)}`;
    if (recorded === undefined) throw messages.unreadableStateError(action);
    if (isInDoubt(id)) return this.#dropInDoubt(id, recorded);
    const { settings, guide, client } = this.#ready(action);
    refuseOtherUrl({ id, recorded, settings, guide });
    if (this.#imports.isImported(id) || this.#current.has(id)) {
      await this.#log.warn(messages.olderRecordWarning(id, recorded));
      return;
    }
    if (this.#created.has(id)) {
      await this.#log.warn(messages.sameIdWarning(id, recorded));
      return;
    }
    if (this.#imports.isDeclared(id)) throw messages.stillImportedError(action);
    if (this.#doubts.isNeeded(id)) throw recovery.unreplacedError(id, recorded);
    const deleting = client.delete(id, { action, secrets: secretsOf(recorded) });
    const { missing } = await this.#missing.weigh(messages.label(id, recorded), deleting);
    if (missing === undefined) return;
    // Only another webhook proves that those of the previous URL are at this one. An earlier attempt of this delete that
    // may have taken effect does not.
    const hasMoved = recorded.baseUrl !== settings.baseUrl;
    if (hasMoved && missing !== "proven") throw messages.notAtNewUrlError({ id, recorded, settings, guide });
    if (recorded.inDoubtId) await this.#log.warn(recovery.droppedUnverifiedWarning(id, recorded));
  }

  /** Drops a record in doubt. If the program imports the webhook in its place, the record goes after the import only. */
  async #dropInDoubt(id: string, recorded: State): Promise<void> {
    const news = this.#imports.resolutionOf(id);
    if (news === undefined) {
      const created = [...this.#created].filter(([, { name }]) => name === recorded.name);
      const replacementIds = created.map(([replacementId]) => replacementId);
      await this.#log.warn(messages.droppedInDoubtWarning({ id, webhook: recorded, replacementIds }));
      return;
    }
    const inputs = parseInputs(news);
    if (!("import" in inputs) || this.#imports.isImported(inputs.import)) return;
    // With deleteBeforeReplace the engine creates, and so imports, after it has dropped the record.
    this.#imports.keep(await this.#import(inputs.import, inputs));
    this.#log.progress(recovery.foundProgress(id, recorded, inputs.import));
  }

  /** Imports a webhook: a full update proves that it exists, and sets what is declared. */
  async #import(id: string, inputs: Inputs): Promise<dynamic.CreateResult<Properties>> {
    const action = `Importing ${messages.label(id, inputs)}`;
    const { settings, client } = this.#ready(action);
    const other = this.#ownerOf(id);
    if (other !== undefined) throw messages.importedTwiceError(action, other);
    this.#imports.start(id, shownName(inputs));
    try {
      const reply = await client.update(id, inputs, { action, secrets: secretsOf(inputs) });
      const contradiction = findContradiction({ reply, sent: inputs });
      if (contradiction !== undefined) throw messages.contradictedError(action, contradiction);
      this.#log.progress(`Imported ${messages.label(id, inputs)}.`);
      this.#doubts.resolve({ id, inputs });
      if (inputs.secret !== undefined) await this.#log.warn(messages.secretNotSentWarning(id, inputs));
      return { id, outs: toState({ inputs, settings, reply, adoptedAt: new Date().toISOString() }) };
    } catch (error) {
      this.#imports.fail(id);
      if (failedAs("gone", error)) throw messages.nothingToImportError(action);
      if (failedAs("unconfirmed", error)) throw messages.unconfirmedImportError(action, error.detail);
      throw error;
    }
  }

  /** Returns the name of the webhook that this process has created or imported under this id. */
  #ownerOf(id: string): string | undefined {
    const created = this.#created.get(id);
    return created === undefined ? this.#imports.importerOf(id) : shownName(created);
  }

  /** Shows a line about the settings or the API once in this process, not once for each webhook. */
  async #showOnce(level: keyof EngineLog, line: string): Promise<void> {
    if (this.#shownLines.has(line)) return;
    this.#shownLines.add(line);
    await this.#log[level](line);
  }

  /** @throws WebhookError with the problems of the settings. */
  #ready(action: string): { settings: Settings; guide: SettingGuide; client: WebhookClient } {
    if ("problems" in this.#settings) {
      throw messages.settingsError(action, this.#settings.storedProblems);
    }
    const { settings, guide } = this.#settings;
    this.#client ??= new WebhookClient({
      ...settings,
      guide,
      signal: this.#connect(),
      onWait: (line) => this.#log.progress(line),
    });
    return { settings, guide, client: this.#client };
  }
}

/** The key of one account must not reach webhooks of another, nor must their absence there count as a deletion. */
function refuseOtherUrl({ id, recorded, settings, guide }: ToCompare): void {
  const { baseUrl, previousBaseUrl = [] } = settings;
  if ([baseUrl, ...previousBaseUrl].includes(recorded.baseUrl)) return;
  throw messages.otherUrlError({ id, recorded, settings, guide });
}

interface Missing {
  id: string;
  properties: Properties;
  recorded: State;
  missing: Absence;
}

interface ToCompare {
  id: string;
  recorded: State;
  settings: Settings;
  guide: SettingGuide;
}

function failedAs(failure: Failure, error: unknown): error is WebhookError {
  return error instanceof WebhookError && error.failure === failure;
}

/** Reports whether a create failed that certainly had no effect. An error that nobody foresaw proves nothing. */
function hadNoEffect(error: unknown): boolean {
  return error instanceof WebhookError && error.failure !== "in doubt";
}

function reasonOf(error: unknown): string {
  return error instanceof WebhookError ? error.detail : "the reply could not be processed.";
}
