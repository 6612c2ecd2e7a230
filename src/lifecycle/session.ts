import { WebhookClient } from "../client/client.js";
import { Notes } from "../notes/notes.js";
import { labelAtStart } from "../record/label.js";
import { isSameKey } from "../record/seen-by.js";
import { STORED_SETTINGS } from "../settings/setting-guide.js";
import { baseUrlsOf, type ParsedSettings, type UsableSettings } from "../settings/settings.js";
import { failed, WebhookError } from "../wording/errors.js";
import { GoneEvidence } from "./gone-evidence.js";
import { Run } from "./run.js";
import { type Entry, unreadableState } from "./state.js";

/**
 * Shows the user what is neither a result nor an error: among the stack's warnings, which are counted, or only while operations run.
 * Resolves when the line has arrived: the engine ends this process as soon as its last operation ends, and a line that is still on its way
 * is lost.
 */
export type Log = Record<"warn" | "progress", (line: string) => Promise<void> | void>;

export interface SessionSurroundings {
  log: Log;
  /** Aborts when nothing more may be sent. Default: never. */
  signal?: AbortSignal | undefined;
  /** Records the creates that are sent. Default: none. */
  notes?: Notes | undefined;
  /** Runs an operation to its end, before this process ends. */
  finish?: <Result>(operation: () => Promise<Result>) => Promise<Result>;
}

/** One provider process during one run of the engine: its account, and what it knows of its resources and of the API. */
export class Session {
  readonly log: Log;
  readonly notes: Notes;
  readonly run = new Run();
  readonly goneEvidence = new GoneEvidence();
  /** The settings, or their problems, which check reports. */
  readonly settings: ParsedSettings;
  readonly #surroundings: SessionSurroundings;
  #client: WebhookClient | undefined;
  readonly #stopped = new AbortController();
  /** The request under way for a webhook that this key has not seen, and whether one has succeeded. */
  #asking: Promise<void> | undefined;
  #hasBeenAnswered = false;
  readonly #shownTopics = new Set<string>();
  /** The summaries of errors, by their details. */
  readonly #explainedBy = new Map<string, string>();

  constructor(settings: ParsedSettings, surroundings: SessionSurroundings) {
    this.settings = settings;
    this.log = surroundings.log;
    this.notes = surroundings.notes ?? new Notes();
    this.#surroundings = surroundings;
  }

  /**
   * Returns the settings for an operation. @param entry that of the webhook, if one is recorded.
   *
   * @throws WebhookError with the problems of the settings, or if they point to another URL than that of the webhook: the key of one
   * account must not reach webhooks of another, nor must their absence there count as a deletion.
   */
  account(action: string, entry?: Pick<Entry, "id" | "urn" | "values">): UsableSettings {
    const recorded = entry?.values.baseUrl;
    if (entry !== undefined && typeof recorded !== "string") throw failed(action, unreadableState(entry.urn));
    // Check reports them in an up, so this is a refresh, a destroy or an up without webhooks.
    if ("problems" in this.settings)
      throw failed(action, `${this.settings.problems().join(" ")} ${STORED_SETTINGS}`);
    const { settings, guide } = this.settings;
    if (entry === undefined || baseUrlsOf(settings).some((url) => url === recorded)) return this.settings;
    const baseUrl = guide.name("baseUrl");
    const previous = [...(settings.previousBaseUrl ?? []), recorded].join(",");
    const stored = this.run.program === undefined ? ` ${STORED_SETTINGS}` : "";
    throw new WebhookError({
      summary: `${labelAtStart(entry.id, entry.urn)} was created at ${recorded}, but ${baseUrl} is ${settings.baseUrl}`,
      detail: `no request was sent. If the same account's API moved, ${guide.howToSet("previousBaseUrl", previous)}, then run pulumi up. If this is another account, declare a separate Provider for it, and set ${baseUrl} back.${stored}`,
    });
  }

  /** Returns the client. It exists from the first request on: a wrong proxy variable fails nothing else. @throws as `account` does. */
  client(action: string): WebhookClient {
    const { settings, guide } = this.account(action);
    const signals = [this.#stopped.signal, this.#surroundings.signal];
    this.#client ??= new WebhookClient({
      ...settings,
      guide,
      signal: AbortSignal.any(signals.filter((signal) => signal !== undefined)),
      onWait: (line) => this.log.progress(line),
    });
    return this.#client;
  }

  /** Reports whether this key, by the record, is the one that saw a webhook last. */
  hasSeen({ seenBy }: { seenBy?: string }): boolean {
    return isSameKey(seenBy, this.settings.seenBy);
  }

  /** Sends nothing more in this run: the key is another account's. */
  stop({ summary }: WebhookError): void {
    const detail = `no request was sent. See the error "${summary}": this API key may be another account's.`;
    const reason = { summary: "This Provider sends nothing more in this run", detail };
    this.#stopped.abort(new WebhookError(reason));
  }

  /**
   * Sends a request for a webhook. Those for webhooks that this key has not seen go one after the other until one succeeds: each may show
   * that the key is another account's. The time limit of each begins before it waits: while the API is down, all end together.
   */
  async sendInTurn<Value>(webhook: { seenBy?: string }, request: (since: number) => Promise<Value>) {
    const since = performance.now();
    const send = () => request(since);
    if (this.hasSeen(webhook)) return send();
    while (this.#asking !== undefined) await this.#asking;
    if (this.#hasBeenAnswered) return send();
    const sent = send();
    const end = (hasSucceeded: boolean) => {
      this.#hasBeenAnswered = hasSucceeded;
      this.#asking = undefined;
    };
    this.#asking = sent.then(
      () => end(true),
      () => end(false),
    );
    return sent;
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
