import { WebhookClient } from "../client/client.js";
import { Notes } from "../notes/notes.js";
import { labelAtStart } from "../record/label.js";
import { isSameKey } from "../record/seen-by.js";
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
  readonly settings: ParsedSettings;
  /** The mark of this Provider and its key. Undefined if the settings have problems. */
  readonly seenBy: string | undefined;
  readonly #surroundings: SessionSurroundings;
  #client: WebhookClient | undefined;
  readonly #stopped = new AbortController();
  #firstRequest: Promise<unknown> | undefined;
  readonly #shownTopics = new Set<string>();
  /** The summaries of errors, by their details. */
  readonly #explainedBy = new Map<string, string>();

  constructor(settings: ParsedSettings, surroundings: SessionSurroundings) {
    const { log, notes = new Notes() } = surroundings;
    this.settings = settings;
    this.seenBy = "problems" in settings ? undefined : settings.seenBy;
    this.log = log;
    this.notes = notes;
    this.#surroundings = surroundings;
  }

  /** Returns the settings for an operation. @throws WebhookError with their problems. */
  usableSettings(action: string): UsableSettings {
    // Check reports them in an up, so this is a refresh, a destroy or an up without webhooks.
    if ("problems" in this.settings)
      throw failed(action, `${this.settings.problems().join(" ")} ${STORED_SETTINGS}`);
    return this.settings;
  }

  /** Returns the account for an operation that sends something. @throws WebhookError with the problems of the settings. */
  account(action: string): Account {
    const usable = this.usableSettings(action);
    const { signal } = this.#surroundings;
    this.#client ??= new WebhookClient({
      ...usable.settings,
      guide: usable.guide,
      signal: AbortSignal.any([this.#stopped.signal, ...(signal === undefined ? [] : [signal])]),
      onWait: (line) => this.log.progress(line),
    });
    return { ...usable, client: this.#client };
  }

  /** Returns the account for an operation on a recorded webhook. @throws WebhookError as `requireSameApi` does. */
  accountForRecord(action: string, entry: Pick<Entry, "id" | "urn" | "outputs">): Account {
    this.requireSameApi(action, entry);
    return this.account(action);
  }

  /**
   * Requires that the settings point to the API of a recorded webhook, and returns them.
   *
   * @throws WebhookError if they point to another URL: the key of one account must not reach webhooks of another, nor must their absence
   * there count as a deletion.
   */
  requireSameApi(
    action: string,
    { id, urn, outputs }: Pick<Entry, "id" | "urn" | "outputs">,
  ): UsableSettings {
    const { baseUrl: recorded } = outputs;
    if (typeof recorded !== "string") throw unreadableStateError(action, urn);
    const usable = this.usableSettings(action);
    const { settings, guide } = usable;
    if (baseUrlsOf(settings).includes(recorded)) return usable;
    const baseUrl = guide.name("baseUrl");
    const previous = [...(settings.previousBaseUrl ?? []), recorded].join(",");
    const stored = this.run.program === undefined ? ` ${STORED_SETTINGS}` : "";
    throw new WebhookError({
      summary: `${labelAtStart(id, urn)} was created at ${recorded}, but ${baseUrl} is ${settings.baseUrl}`,
      detail: `no request was sent. If the same account's API moved, ${guide.howToSet("previousBaseUrl", previous)}, then run pulumi up. If this is another account, declare a separate Provider for it, and set ${baseUrl} back.${stored}`,
    });
  }

  /** Reports whether this key, by the record, is the one that saw a webhook last. */
  hasSeen({ seenBy }: { seenBy?: string }): boolean {
    return isSameKey(seenBy, this.seenBy);
  }

  /** Sends nothing more in this run: the key is another account's. */
  stop({ summary }: WebhookError): void {
    const detail = `no request was sent. See the error "${summary}": this API key may be another account's.`;
    this.#stopped.abort(
      new WebhookError({ summary: "This Provider sends nothing more in this run", detail }),
    );
  }

  /** Lets the first request of a key that has not seen its webhooks end before the others are sent: it may show that the key is another account's. */
  async sendAfterFirst<Value>(send: () => Promise<Value>): Promise<Value> {
    if (this.#firstRequest !== undefined) {
      await this.#firstRequest;
      return send();
    }
    const first = send();
    this.#firstRequest = first.catch(() => {});
    return first;
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
