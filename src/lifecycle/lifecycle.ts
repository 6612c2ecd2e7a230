import { Journal } from "../journal/journal.js";
import type { ParsedSettings } from "../settings/settings.js";
import type { Past } from "../stack/past.js";
import { isUnconfirmedImport } from "../stack/unconfirmed-import.js";
import { runAttempt } from "./attempt.js";
import type { Checked, CheckRequest } from "./check.js";
import { check } from "./check.js";
import { create } from "./create.js";
import { deleteWebhook } from "./delete.js";
import type { Difference, DiffRequest } from "./diff.js";
import { diff } from "./diff.js";
import * as engineImport from "./engine-import.js";
import type { ReadResult } from "./read.js";
import { read } from "./read.js";
import type { Properties, Result } from "./run.js";
import type { Log } from "./session.js";
import { Session } from "./session.js";
import { update } from "./update.js";

/** A resource, as far as the face knows it. */
interface Keyed {
  /** The resource's key, the same for all operations of a run. Undefined for resources that earlier versions declare. */
  key: string | undefined;
}

/** What check received about a resource, if the face knows more of it with a diff. */
interface Declaration {
  past?: Past | undefined;
  ignored?: readonly string[];
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
   * @param connect connects to the engine. When the signal aborts, nothing more is sent. Default: there is no engine.
   * @param journal notes what is sent. Default: nothing is noted.
   */
  constructor(log: Log, connect: () => AbortSignal | undefined = () => undefined, journal = new Journal()) {
    this.#session = new Session(log, connect, journal);
  }

  /** Sets the settings; check reports their problems. */
  configure(settings: ParsedSettings): void {
    this.#session.settings = settings;
  }

  check(request: CheckRequest): Promise<Checked> {
    return check(this.#session, request);
  }

  async diff({ key, past, ignored, ...request }: Keyed & Declaration & DiffRequest): Promise<Difference> {
    const resource = this.#session.run.of(key);
    if (past?.isImported) engineImport.refuseRenamed(resource, request.id);
    resource.past = past ?? resource.past;
    resource.ignored = ignored ?? resource.ignored;
    if (isUnconfirmedImport(request.olds)) return engineImport.diff(this.#session, resource, request);
    return diff(this.#session, resource, request);
  }

  create({ key, inputs }: Keyed & { inputs: Properties }): Promise<Result> {
    const resource = this.#session.run.of(key);
    resource.declared ??= { inputs, isCreate: true }; // Without a key, check did not reach it.
    const attempt = () => create(this.#session, resource, inputs);
    return runAttempt(resource, attempt, (line) => this.#session.log.warn(line));
  }

  update({ key, ...request }: Keyed & DiffRequest): Promise<Result> {
    const resource = this.#session.run.of(key);
    resource.declared ??= { inputs: request.news, isCreate: false };
    const send = isUnconfirmedImport(request.olds) ? engineImport.confirm : update;
    const attempt = () => send(this.#session, resource, request);
    return runAttempt(resource, attempt, (line) => this.#session.log.warn(line));
  }

  /** @returns undefined if the webhook is gone. */
  read(id: string, outputs: Properties): Promise<ReadResult | undefined> {
    if (isUnconfirmedImport(outputs)) return Promise.resolve({ outputs });
    return read(this.#session, id, outputs);
  }

  /** Reads a webhook that the engine imports by an option of its own: it passes the id, and no outputs. */
  readImport({ key, ...request }: Keyed & engineImport.ImportRequest): Promise<ReadResult> {
    return engineImport.read(this.#session, this.#session.run.of(key), request);
  }

  delete(id: string, outputs: Properties): Promise<void> {
    const remove = isUnconfirmedImport(outputs) ? engineImport.drop : deleteWebhook;
    return remove(this.#session, id, outputs);
  }
}
