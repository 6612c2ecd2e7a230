import { WebhookClient } from "../client/client.js";
import { Notes } from "../notes/notes.js";
import { labelAtStart } from "../record/label.js";
import { STORED_SETTINGS } from "../settings/setting-guide.js";
import { baseUrlsOf, type ParsedSettings, type UsableSettings } from "../settings/settings.js";
import { failed, WebhookError } from "../wording/errors.js";
import { GoneEvidence } from "./gone-evidence.js";
import { Run } from "./run.js";
import { type Entry, unreadableStateError } from "./state.js";

/** Shows the user what is neither a result nor an error. */
export interface Log {
  /**
   * Shows a line among the stack's warnings, which are counted. Resolves when the line has arrived: the engine ends this
   * process as soon as its last operation ends, and a line that is still on its way is lost.
   */
  warn(line: string): Promise<void> | void;
  /** Shows a line while operations run, and not in the summary. */
  progress(line: string): Promise<void> | void;
}

/** What a session has of its process. */
export interface SessionSurroundings {
  log: Log;
  /** Aborts when nothing more may be sent. Default: never. */
  signal?: AbortSignal | undefined;
  /** Records the creates that are sent. Default: none. */
  notes?: Notes | undefined;
  /** Runs an operation to its end, before this process ends. */
  finish?: <Result>(operation: () => Promise<Result>) => Promise<Result>;
}

/** The account of a session: its settings, how to name them, the mark of its key, and the client. */
export interface Account extends UsableSettings {
  client: WebhookClient;
}

/** One provider process during one run of the engine: its account, and what it knows of its resources and of the API. */
export class Session {
  readonly log: Log;
  readonly notes: Notes;
  readonly run = new Run();
  readonly goneEvidence = new GoneEvidence();
  /** The settings, or their problems, which check reports. */
  settings: ParsedSettings = { problems: [] };
  readonly #surroundings: SessionSurroundings;
  #client: WebhookClient | undefined;
  readonly #shownTopics = new Set<string>();
  /** The summaries of errors, by their details. */
  readonly #explainedBy = new Map<string, string>();

  constructor(surroundings: SessionSurroundings) {
    const { log, notes = new Notes() } = surroundings;
    this.log = log;
    this.notes = notes;
    this.#surroundings = surroundings;
  }

  /** Returns the account for an operation. @throws WebhookError with the problems of the settings. */
  account(action: string): Account {
    // Check reports them in an up, so this is a refresh, a destroy or an up without webhooks.
    if ("problems" in this.settings)
      throw failed(action, `${this.settings.problems.join(" ")} ${STORED_SETTINGS}`);
    const { settings, guide } = this.settings;
    this.#client ??= new WebhookClient({
      ...settings,
      guide,
      signal: this.#surroundings.signal,
      onWait: (line) => this.log.progress(line),
    });
    return { ...this.settings, client: this.#client };
  }

  /**
   * Returns the account for an operation on a recorded webhook.
   *
   * @throws WebhookError if the settings point to another URL: the key of one account must not reach webhooks of another,
   * nor must their absence there count as a deletion.
   */
  accountForRecord(action: string, { id, urn, outputs }: Pick<Entry, "id" | "urn" | "outputs">): Account {
    const { baseUrl: recorded } = outputs;
    if (typeof recorded !== "string") throw unreadableStateError(action, urn);
    const account = this.account(action);
    if (baseUrlsOf(account.settings).includes(recorded)) return account;
    const { settings, guide } = account;
    const baseUrl = guide.name("baseUrl");
    const previous = [...(settings.previousBaseUrl ?? []), recorded].join(",");
    const stored = this.run.program === undefined ? ` ${STORED_SETTINGS}` : "";
    throw new WebhookError({
      summary: `${labelAtStart(id, urn)} was created at ${recorded}, but ${baseUrl} is ${settings.baseUrl}`,
      detail: `no request was sent. If the same account's API moved, ${guide.howToSet("previousBaseUrl", previous)}, then run pulumi up. If this is another account, declare a separate Provider for it, and set ${baseUrl} back.${stored}`,
    });
  }

  /** Shows a line about the settings or the API once, not once for each webhook. @param topic what is shown once. Default: the line. */
  async showOnce(level: keyof Log, line: string, topic = line): Promise<void> {
    if (this.#shownTopics.has(topic)) return;
    this.#shownTopics.add(topic);
    await this.log[level](line);
  }

  /** Runs an operation to its end. Its error refers to an earlier one with the same details: they are read once. */
  async runOperation<Value>(operation: () => Promise<Value>): Promise<Value> {
    const { finish = (operation) => operation() } = this.#surroundings;
    try {
      return await finish(operation);
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      const { summary, detail } = error;
      const first = this.#explainedBy.get(detail) ?? summary;
      this.#explainedBy.set(detail, first);
      const reference = `see the error "${first}", which says the same.`;
      if (first !== summary && reference.length < detail.length) error.message = `${summary}: ${reference}`;
      throw error;
    }
  }

  /** Warns of a webhook, in a list whose heading explains the cause, and is shown once. Lists may mix: an item says what it means. */
  async warnOfEach(heading: string, item: string): Promise<void> {
    await this.showOnce("warn", heading);
    await this.showOnce("warn", `- ${item}`, heading + item);
  }
}
