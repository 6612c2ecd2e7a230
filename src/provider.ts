import type { dynamic } from "@pulumi/pulumi";
import { Adoptions } from "./adoptions.js";
import { WebhookClient } from "./client.js";
import { findDrift } from "./drift.js";
import type { EngineLog } from "./engine-log.js";
import { engineLog } from "./engine-log.js";
import type { Failure } from "./errors.js";
import { WebhookError } from "./errors.js";
import { inDoubtError, inDoubtId, inDoubtWarning, isInDoubt } from "./in-doubt.js";
import { inputsOf, recordOf, toldBy } from "./record.js";
import type { Fields, Inputs, Probed, State, WebhookRecord } from "./schema.js";
import { checkInputs, parseInputs, parseState, UNKNOWN } from "./schema.js";
import type { ReadSettings, Settings } from "./settings.js";
import { readSettings } from "./settings.js";

/** Inputs and outputs as Pulumi hands them over: read by schema.ts before anything is done with them. */
type Properties = Record<string, unknown>;

/**
 * The lifecycle of a webhook.
 *
 * One instance serves all webhooks of one provider process, many at a time, and so shares one client. Methods never
 * learn a resource's URN, and get secrets in plain text.
 */
export class WebhookProvider implements dynamic.ResourceProvider<Properties, Properties> {
  readonly #log: EngineLog;
  #settings: ReadSettings = { problems: ["The provider was used before it was configured."] };
  #client: WebhookClient | undefined;
  readonly #adoptions = new Adoptions();
  #saidThatNothingIsCompared = false;

  constructor(log: EngineLog) {
    this.#log = log;
  }

  /**
   * Keeps the settings; what is wrong with them is said by check. It neither waits nor throws: the SDK uses the provider
   * for other webhooks before this has ended, and after it has failed.
   */
  async configure({ config }: dynamic.ConfigureRequest): Promise<void> {
    this.#settings = readSettings((key) => config.get(key), process.env);
    this.#client = undefined;
  }

  /**
   * Checks inputs and settings, and fills in defaults. A failure never names its property: the CLI would print the
   * value along with it.
   */
  async check(
    _olds: Properties,
    { __provider, ...news }: Properties,
  ): Promise<dynamic.CheckResult<Properties>> {
    const { inputs, problems } = checkInputs(news);
    if (typeof inputs.import === "string") this.#adoptions.declare(inputs.import);
    const all = "problems" in this.#settings ? [...problems, ...this.#settings.problems] : problems;
    return { inputs, failures: all.map((reason) => ({ property: "", reason })) };
  }

  /**
   * Says what a change of inputs does. The API's update takes url, name and enabled, and no secret.
   *
   * @throws WebhookError where going on would touch another account's webhook, or lose an adopted one.
   */
  async diff(id: string, olds: Properties, news: Properties): Promise<dynamic.DiffResult> {
    const recorded = parseState(olds);
    if (recorded === undefined) return { changes: true };
    const attempted = `Comparing webhook ${id} (${recorded.name})`;
    this.#refuseOtherAccount(attempted, recorded);

    if (isInDoubt(id)) {
      // Its create fails again in update, which a preview does not call; a secret, too, replaces nothing here.
      if (news.import !== undefined) {
        if (news.secret !== UNKNOWN && news.secret !== recorded.secret) {
          throw new WebhookError(attempted, OTHER_SECRET_IN_DOUBT);
        }
        this.#adoptions.settle(id, news.import);
        return { changes: true, replaces: ["import"] };
      }
      this.#log.warn(inDoubtWarning(id, recorded));
      return { changes: true };
    }
    if (news.import !== undefined && news.import !== UNKNOWN && news.import !== id) {
      throw new WebhookError(
        attempted,
        `its option import names another webhook, ${news.import}. Declare that one under a name of its own.`,
      );
    }
    if (news.secret !== recorded.secret) {
      if (news.import === id) {
        throw new WebhookError(
          attempted,
          "a new secret replaces the webhook, and the option import would adopt the old one again. Remove import, and run it again.",
        );
      }
      this.#adoptions.compared(id, recorded.adoptedAt, { stays: false });
      return { changes: true, replaces: ["secret"] };
    }
    this.#adoptions.compared(id, recorded.adoptedAt, { stays: true });
    const changed = (["url", "name", "enabled"] as const).some((field) => news[field] !== recorded[field]);
    if (recorded.unconfirmed) {
      // Nothing else tells why a preview plans an update of a webhook whose inputs did not change.
      this.#log.warn(
        `Webhook ${id} (${recorded.name}) may not be as it is recorded, since its last update was not confirmed: the next up sends url, name and enabled again.`,
      );
    }
    const isUncertain = recorded.changedOutsidePulumi !== undefined || recorded.unconfirmed === true;
    return { changes: changed || isUncertain };
  }

  /** Creates a webhook, or adopts the one whose id is declared with the option import. */
  async create({ __provider, ...properties }: Properties): Promise<dynamic.CreateResult<Properties>> {
    const inputs = parseInputs(properties);
    if ("import" in inputs) return this.#adopt(inputs.import, inputs);

    const attempted = `Creating webhook ${inputs.name}`;
    const { settings, client } = this.#ready(attempted);
    const sentAt = new Date();
    const { id, ...record } = await client
      .create(inputs, { attempted, secret: inputs.secret })
      .catch((error) => {
        if (!failedAs("in doubt", error)) throw error;
        const id = inDoubtId(sentAt);
        const sent = recordOf(inputs, settings, {});
        throw asRecorded(inDoubtError(id, inputs, error.detail), id, { __provider, ...sent });
      });
    // The engine saves the id later than this, and forgets it when it is killed in between.
    this.#log.progress(`Created webhook ${id} (${inputs.name}).`);
    const outs = recordOf(inputs, settings, record);
    if (tookEnabled(inputs, record)) return { id, outs };
    // It exists, and must be in the state: a failed create that has an id is recorded, and updated by the next up.
    const failure = otherEnabled(`Creating webhook ${id} (${inputs.name})`, inputs);
    throw asRecorded(failure, id, { __provider, ...outs, unconfirmed: true });
  }

  /** Sends all fields. A webhook in doubt stays as it is: nothing is sent before a person has looked. */
  async update(id: string, olds: Properties, news: Properties): Promise<dynamic.UpdateResult<Properties>> {
    const { __provider, ...properties } = news;
    const inputs = parseInputs(properties);
    const attempted = `Updating webhook ${id} (${inputs.name})`;
    const recorded = parseState(olds);
    if (recorded === undefined) throw unreadable(attempted);
    if (isInDoubt(id)) {
      throw asRecorded(inDoubtError(id, recorded, "an earlier run got no answer."), id, olds);
    }
    this.#refuseOtherAccount(attempted, recorded);
    const { settings, client } = this.#ready(attempted);
    try {
      const record = await client.update(id, inputs, { attempted, secret: inputs.secret });
      if (!tookEnabled(inputs, record)) throw otherEnabled(attempted, inputs);
      const { adoptedAt, createdAt } = recorded;
      const times = { ...record, createdAt: record.createdAt ?? createdAt, adoptedAt };
      return { outs: recordOf(inputs, settings, times) };
    } catch (error) {
      if (!failedAs("unconfirmed", error)) throw error;
      // Recorded as failed, or an up after the change was taken back would find nothing to do.
      throw asRecorded(error, id, { ...olds, unconfirmed: true });
    }
  }

  /**
   * Compares with the API as far as that is possible: with `webhooks:drift` off, what is recorded is kept; with a probe,
   * its finding is returned, also as inputs, which is how a preview shows it and the next up undoes it.
   */
  async read(id: string, properties: Properties = {}): Promise<dynamic.ReadResult<Properties>> {
    if (isInDoubt(id)) return { id, props: properties };
    const recorded = parseState(properties);
    const attempted = `Reading webhook ${id}${recorded === undefined ? "" : ` (${recorded.name})`}`;
    const { settings, client } = this.#ready(attempted);
    if (settings.drift === "off") {
      if (recorded === undefined) throw new WebhookError(attempted, NEEDS_PROBE);
      this.#sayThatNothingIsCompared();
      return { id, props: properties };
    }

    if (recorded !== undefined) this.#refuseOtherAccount(attempted, recorded);
    let probed: Probed;
    try {
      probed = await client.probe(id, { attempted, secret: recorded?.secret });
    } catch (error) {
      if (failedAs("gone", error)) return {};
      throw error;
    }
    if (probed.name === "") this.#warnOfClearedFields(id);
    // Webhook.get: what the API tells is all that there is.
    if (recorded === undefined) return { id, props: toldBy(probed, settings) };
    const { state, drifted } = findDrift(recorded, probed);
    const props = { ...properties, ...state };
    return drifted ? { id, props, inputs: inputsOf(state) } : { id, props };
  }

  /**
   * Deletes a webhook; one that the API no longer has counts as deleted.
   *
   * An older record of a webhook that was adopted anew is dropped, and the webhook stays.
   */
  async delete(id: string, properties: Properties): Promise<void> {
    const recorded = parseState(properties);
    const attempted = `Deleting webhook ${id} (${recorded?.name ?? "?"})`;
    if (recorded === undefined) throw unreadable(attempted);
    if (isInDoubt(id)) return this.#dropInDoubt(id, recorded);
    if (this.#adoptions.isOlderRecord(id, recorded.adoptedAt)) {
      this.#log.warn(
        `Webhook ${id} (${recorded.name}) is kept at the API: it was adopted with import, and this was an older record of it.`,
      );
      return;
    }
    if (this.#adoptions.isDeclared(id)) throw new WebhookError(attempted, STILL_IMPORTED);
    this.#refuseOtherAccount(attempted, recorded);
    await this.#ready(attempted)
      .client.delete(id, { attempted, secret: recorded.secret })
      .catch((error) => {
        if (!failedAs("gone", error)) throw error;
      });
  }

  /** A full update proves that the webhook exists, and makes it what is declared. */
  async #adopt(id: string, inputs: Inputs): Promise<dynamic.CreateResult<Properties>> {
    const attempted = `Adopting webhook ${id} (${inputs.name})`;
    const { settings, client } = this.#ready(attempted);
    const other = this.#adoptions.begin(id, inputs.name);
    if (other !== undefined) {
      throw new WebhookError(
        attempted,
        `${other} adopts the same webhook. Two resources cannot own one: remove one of them.`,
      );
    }
    try {
      const record = await client.update(id, inputs, { attempted, secret: inputs.secret });
      if (!tookEnabled(inputs, record)) throw otherEnabled(attempted, inputs);
      if (inputs.secret !== undefined) {
        this.#log.warn(
          `Webhook ${id} (${inputs.name}) was adopted, and its declared secret is taken to be the one it has: the API cannot change a webhook's secret, so it was not sent.`,
        );
      }
      return { id, outs: recordOf(inputs, settings, { ...record, adoptedAt: this.#adoptions.done(id) }) };
    } catch (error) {
      this.#adoptions.failed(id);
      if (failedAs("gone", error)) throw new WebhookError(attempted, NOTHING_TO_ADOPT);
      if (!failedAs("unconfirmed", error)) throw error;
      throw new WebhookError(attempted, `${error.detail} ${MAY_BE_CHANGED}`, "unconfirmed");
    }
  }

  #sayThatNothingIsCompared(): void {
    if (this.#saidThatNothingIsCompared) return;
    this.#saidThatNothingIsCompared = true;
    this.#log.warn(
      "Webhooks were not compared with the API, which cannot be read: the refresh keeps what the last up recorded. Where the API keeps the fields that an update omits (npx pulumi-webhooks doctor finds out), run pulumi config set webhooks:drift probe, and then pulumi up once or this command with --run-program: a refresh uses the settings of the last up.",
    );
  }

  /** An API that clears what an update omits must not be probed. */
  #warnOfClearedFields(id: string): void {
    this.#log.warn(
      `The probe of webhook ${id} cleared its name: this API does not keep the fields that an update omits, so the probe does harm here. Run pulumi up --refresh once, which sends all fields again, and then pulumi config set webhooks:drift off.`,
    );
  }

  #dropInDoubt(id: string, recorded: State): void {
    if (this.#adoptions.isSettled(id)) return;
    this.#log.warn(
      `${id} (${recorded.name}) was dropped from the state and nothing was sent: whether the API ever created this webhook is not known. Look for ${recorded.name} in the dashboard, and delete it there if it should not exist.`,
    );
  }

  /** A key of one account must not reach webhooks of another, nor take their absence there for a deletion. */
  #refuseOtherAccount(attempted: string, { baseUrl }: State): void {
    const { baseUrl: current, previousBaseUrl } = this.#ready(attempted).settings;
    if (baseUrl === current || baseUrl === previousBaseUrl) return;
    throw new WebhookError(
      attempted,
      `it lives at ${baseUrl}, and webhooks:baseUrl is ${current}. Nothing was sent. If the API of the same account moved, run pulumi config set webhooks:previousBaseUrl ${baseUrl}; if this is another account, give it a Provider of its own and leave this setting as it was.`,
    );
  }

  #ready(attempted: string): { settings: Settings; client: WebhookClient } {
    if ("problems" in this.#settings) throw new WebhookError(attempted, this.#settings.problems.join(" "));
    const { settings } = this.#settings;
    this.#client ??= new WebhookClient({ ...settings, onWait: (line) => this.#log.progress(line) });
    return { settings, client: this.#client };
  }
}

/** The provider that the text stored with each webhook loads: its name and this module's are permanent. */
export const provider: dynamic.ResourceProvider = new WebhookProvider(engineLog);

/**
 * Makes the engine keep a failed create or update under its id, and run update for it the next time. The SDK adds
 * `__provider` to results only: without it here, nothing could ever be done with the recorded webhook again.
 */
function asRecorded(error: WebhookError, id: string, properties: Properties): WebhookError {
  return Object.assign(error, { id, properties, reasons: [error.message] });
}

const OTHER_SECRET_IN_DOUBT =
  "its create was sent with another secret than is declared now, and adopting it would record the wrong one. Declare the secret of that time until it is adopted; or delete it in the dashboard, remove import, and run pulumi up --replace '<urn>'.";

const MAY_BE_CHANGED =
  "It may have been changed all the same: run pulumi up until it is adopted, or look at it in the dashboard.";

const NOTHING_TO_ADOPT =
  "the API has no webhook with this id. Correct the option import, or remove it to create a webhook.";

const STILL_IMPORTED =
  "the program adopts this webhook with the option import, and has not done so in this run. If an adoption failed, see to that one first. If it is to be replaced by a new webhook, remove import; with import set, deleteBeforeReplace cannot be done.";

const NEEDS_PROBE =
  "the API has no operation that reads a webhook. With webhooks:drift set to probe, an update that sends nothing but the id tells its name, enabled and times; or declare the webhook with all its fields and the option import.";

/** Whether a reply agrees with what was sent. One that does not tell agrees: replies are read tolerantly. */
function tookEnabled({ enabled }: Fields, reply: WebhookRecord): boolean {
  return reply.enabled === undefined || reply.enabled === enabled;
}

function otherEnabled(attempted: string, { enabled }: Fields): WebhookError {
  const [asked, answered] = enabled ? ["enabled", "disabled"] : ["disabled", "enabled"];
  return new WebhookError(
    attempted,
    `it should be ${asked}, and the API answered that it is ${answered}. Look at it in the dashboard, and run pulumi up again.`,
    "unconfirmed",
  );
}

function unreadable(attempted: string): WebhookError {
  return new WebhookError(
    attempted,
    "what the state holds of it is not a webhook's record. Restore the state (pulumi stack history), or remove it with pulumi state delete and adopt the webhook with the option import.",
  );
}

function failedAs(failure: Failure, error: unknown): error is WebhookError {
  return error instanceof WebhookError && error.failure === failure;
}
