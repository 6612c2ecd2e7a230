import { Notes } from "../notes/notes.js";
import type { ParsedSettings } from "../settings/settings.js";
import { type Checked, type CheckRequest, check } from "./check.js";
import { create } from "./create.js";
import { type DeleteRequest, deleteWebhook } from "./delete.js";
import { type DiffRequest, diff } from "./diff.js";
import { runAttempt } from "./failed-attempts.js";
import { type ImportRequest, readImport } from "./import.js";
import { read } from "./read.js";
import type { Changes, Properties, ReadResult, Resource, Result } from "./run.js";
import { type Log, Session } from "./session.js";
import { recordSecret, update } from "./update.js";

interface Timed {
  /** The time limit that the program sets for the operation, in seconds. Default: that of the settings. */
  deadlineSeconds?: number | undefined;
}

interface Keyed {
  /** The resource's key, the same for all operations of a run. Undefined for records of earlier versions. */
  key: string | undefined;
}

/**
 * The life of webhooks in one run of the engine, without regard to how Pulumi reaches it.
 *
 * One instance serves all webhooks of one account, many at a time, and so shares one client. Secrets arrive in plain text.
 * Its methods throw a WebhookError, or a RecordedError if the engine must record the webhook nevertheless.
 */
export class WebhookLifecycle {
  readonly #session: Session;

  /**
   * @param signal aborts when nothing more may be sent. Default: never.
   * @param notes records the creates that are sent. Default: none.
   */
  constructor(log: Log, signal?: AbortSignal, notes = new Notes()) {
    this.#session = new Session(log, signal, notes);
  }

  /** Sets the settings; check reports their problems. */
  configure(settings: ParsedSettings): void {
    this.#session.settings = settings;
  }

  check({ key, ...request }: Keyed & CheckRequest): Promise<Checked> {
    return check(this.#session, this.#session.run.of(key), request);
  }

  /**
   * @param ignored what the option `ignoreChanges` names, if the face knows that only now.
   * @param mustRecord whether the engine must record the webhook again even if nothing changes. Its update then sends nothing.
   */
  async diff({
    key,
    ignored,
    mustRecord = false,
    ...request
  }: Keyed & DiffRequest & { ignored?: string[]; mustRecord?: boolean }): Promise<Changes> {
    const resource = this.#session.run.of(key);
    if (resource.context !== undefined && ignored !== undefined) resource.context.ignored = ignored;
    const difference = await diff(this.#session, resource, request);
    const { kind } = difference;
    resource.isOnlyRecorded = kind === "record" || (kind === "same" && mustRecord);
    const changes = kind !== "same" || mustRecord;
    return kind === "replace" ? { changes, replaces: difference.fields } : { changes };
  }

  /** Shows a warning once, not once for each webhook. */
  warnOnce(line: string): Promise<void> {
    return this.#session.showOnce("warn", line);
  }

  /** Reports whether the next update of a resource sends nothing. */
  isOnlyRecorded(key: string): boolean {
    return this.#session.run.of(key).isOnlyRecorded;
  }

  create({ key, deadlineSeconds, inputs }: Keyed & Timed & { inputs: Properties }): Promise<Result> {
    const resource = this.#begin(key, deadlineSeconds);
    return runAttempt(this.#session, resource, () => create(this.#session, resource, inputs));
  }

  async update({ key, deadlineSeconds, ...request }: Keyed & Timed & DiffRequest): Promise<Result> {
    const resource = this.#begin(key, deadlineSeconds);
    if (resource.isOnlyRecorded) return recordSecret(this.#session, request);
    return runAttempt(this.#session, resource, () => update(this.#session, resource, request));
  }

  /** @returns undefined if the webhook is gone. */
  read(id: string, outputs: Properties): Promise<ReadResult | undefined> {
    return read(this.#session, id, outputs);
  }

  /** Reads a webhook that the engine imports by an option of its own: it passes the id, and no outputs. */
  readImport({ key, ...request }: Keyed & ImportRequest): Promise<ReadResult> {
    return readImport(this.#session, this.#session.run.of(key), request);
  }

  /** Begins an operation on a resource, which no preview does. */
  #begin(key: string | undefined, deadlineSeconds: number | undefined): Resource {
    const resource = this.#session.run.of(key);
    resource.deadlineSeconds = deadlineSeconds;
    if (resource.urn !== undefined) this.#session.notes.noteFirstOperation(resource.urn);
    return resource;
  }

  delete(id: string, outputs: Properties, known: Omit<DeleteRequest, "id" | "outputs"> = {}): Promise<void> {
    return deleteWebhook(this.#session, { id, outputs, ...known });
  }
}
