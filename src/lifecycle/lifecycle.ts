import { Notes } from "../notes/notes.js";
import { keyOf } from "../record/properties.js";
import { label, shownName, toNamed } from "../record/shown-name.js";
import type { ParsedSettings } from "../settings/settings.js";
import { type Checked, type CheckRequest, check } from "./check.js";
import { create } from "./create.js";
import { type DeleteRequest, deleteWebhook } from "./delete.js";
import { type DiffRequest, diff, warnOfUpdate } from "./diff.js";
import { type ImportRequest, readImport } from "./import.js";
import { operate, operateOn } from "./operation.js";
import { read } from "./read.js";
import type { Changes, Properties, ReadResult, Result } from "./run.js";
import { type Log, Session } from "./session.js";
import { recordSecret, update } from "./update.js";

interface Timed {
  /** The time limit that the program sets for the operation, in seconds. Default: that of the settings. */
  deadlineSeconds?: number | undefined;
}

interface Keyed {
  /** That of the resource: see `keyOf`. Undefined for records of earlier versions. */
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

  check(request: CheckRequest): Promise<Checked> {
    return check(this.#session, this.#session.run.of(keyOf(request.context.urn)), request);
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
    return kind === "replace" ? { changes, replaces: ["secret"] } : { changes };
  }

  /** Warns in the preview of an update, if the face alone knows that it is one. */
  warnOfUpdate(): Promise<void> {
    return warnOfUpdate(this.#session);
  }

  /** Reports whether the next update of a resource sends nothing. */
  isOnlyRecorded(key: string): boolean {
    return this.#session.run.of(key).isOnlyRecorded;
  }

  create({ key, deadlineSeconds, inputs }: Keyed & Timed & { inputs: Properties }): Promise<Result> {
    const resource = this.#session.run.of(key);
    resource.deadlineSeconds = deadlineSeconds;
    const action = `Creating webhook ${shownName(toNamed(inputs))}`;
    const act = () => create(this.#session, resource, inputs);
    return operateOn(this.#session, resource, { action, act });
  }

  update({ key, deadlineSeconds, ...request }: Keyed & Timed & DiffRequest): Promise<Result> {
    const resource = this.#session.run.of(key);
    resource.deadlineSeconds = deadlineSeconds;
    const action = `Updating ${label(request.id, toNamed(request.news))}`;
    const act = () =>
      resource.isOnlyRecorded
        ? recordSecret(this.#session, request)
        : update(this.#session, resource, request);
    return operateOn(this.#session, resource, { action, act });
  }

  /** @returns undefined if the webhook is gone. */
  read(id: string, outputs: Properties): Promise<ReadResult | undefined> {
    return read(this.#session, id, outputs);
  }

  /** Reads a webhook that the engine imports by an option of its own: it passes the id, and no outputs. */
  readImport(request: ImportRequest): Promise<ReadResult> {
    return readImport(this.#session, this.#session.run.of(keyOf(request.context.urn)), request);
  }

  delete(id: string, outputs: Properties, known: Pick<DeleteRequest, "urn"> & Timed = {}): Promise<void> {
    const action = `Deleting ${label(id, toNamed(outputs))}`;
    return operate(this.#session, { action, urn: known.urn }, () =>
      deleteWebhook(this.#session, { id, outputs, action, ...known }),
    );
  }
}
