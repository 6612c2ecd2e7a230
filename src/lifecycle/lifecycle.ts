import { label } from "../record/label.js";
import type { ParsedSettings } from "../settings/settings.js";
import { WebhookError } from "../wording/errors.js";
import { type Checked, type CheckRequest, check } from "./check.js";
import { create, creatingOf } from "./create.js";
import { deleteWebhook } from "./delete.js";
import { type DiffRequest, diff } from "./diff.js";
import { type ImportRequest, readImport } from "./import.js";
import { read } from "./read.js";
import { gateClosedError } from "./refusal.js";
import { RecordedError, type Resource } from "./run.js";
import { Session, type SessionSurroundings } from "./session.js";
import { readEntry } from "./state.js";
import { update } from "./update.js";
import type { Changes, ReadResult, Received, Result, Timed } from "./values.js";

interface Change {
  /** That of the resource: see `keyOf`. Undefined for records of earlier versions. */
  key: string | undefined;
  id: string;
  /** The recorded outputs. */
  olds: Received;
  /** The inputs that check has approved. */
  news: Received;
}

/** What a face says of a recorded webhook beside its change. */
type Recording = Pick<DiffRequest, "ignored" | "mustRecord">;

/**
 * The life of webhooks in one run of the engine, without regard to how Pulumi reaches it.
 *
 * One instance serves all webhooks of one account, many at a time, and so shares one client. Secrets arrive in plain text.
 * Its methods throw a WebhookError, or a RecordedError if the engine must record the webhook nevertheless.
 */
export class WebhookLifecycle {
  readonly #session: Session;

  /** @param settings check reports their problems. */
  constructor(settings: ParsedSettings, surroundings: SessionSurroundings) {
    this.#session = new Session(settings, surroundings);
  }

  check(request: CheckRequest): Promise<Checked> {
    return check(this.#session, this.#session.run.declared(request.context.urn), request);
  }

  async diff({ key, id, olds, news, ...recording }: Change & Recording): Promise<Changes> {
    const resource = this.#session.run.of(key);
    const request = { ...recording, entry: readEntry(id, olds, resource), news: news.values };
    const { kind } = await diff(this.#session, resource, request);
    return kind === "replace" ? { changes: true, replaces: ["secret"] } : { changes: kind !== "keep" };
  }

  create({
    key,
    deadlineSeconds,
    inputs,
  }: Pick<Change, "key"> & Timed & { inputs: Received }): Promise<Result> {
    const resource = this.#session.run.of(key);
    return this.#change(resource, creatingOf(resource), () =>
      create(this.#session, resource, { received: inputs, deadlineSeconds }),
    );
  }

  update({ key, id, olds, ...change }: Timed & Change & Recording): Promise<Result> {
    const resource = this.#session.run.of(key);
    const entry = readEntry(id, olds, resource);
    return this.#change(resource, `Updating ${label(id, resource.urn)}`, () =>
      update(this.#session, resource, { entry, ...change }),
    );
  }

  /** @returns undefined if the webhook is gone. */
  read(id: string, outputs: Received): Promise<ReadResult | undefined> {
    return this.#session.runOperation(() => read(this.#session, readEntry(id, outputs)));
  }

  /** Reads a webhook that the engine imports by an option of its own: it passes the id, and no outputs. */
  readImport(request: ImportRequest): Promise<ReadResult> {
    const resource = this.#session.run.declared(request.context.urn);
    return this.#session.runOperation(() => readImport(this.#session, resource, request));
  }

  /** @param urn that of the resource. The engine does not pass it to a dynamic provider. */
  delete(
    id: string,
    outputs: Received,
    { urn, deadlineSeconds }: Timed & { urn?: string | undefined } = {},
  ): Promise<void> {
    const action = `Deleting ${label(id, urn)}`;
    const request = { action, entry: readEntry(id, outputs, { urn }), deadlineSeconds };
    return this.#operate(action, urn, () => deleteWebhook(this.#session, request));
  }

  /**
   * Runs a create or an update of a resource, which the engine repeats if an error hook of the program asks for it. The engine saves what
   * its last attempt says.
   *
   * @throws what the attempt throws. One that is refused gets the record of an attempt that may have taken effect.
   */
  #change(resource: Resource, action: string, act: () => Promise<Result>): Promise<Result> {
    return this.#operate(action, resource.urn, async () => {
      try {
        const result = await act();
        resource.ending = { kind: result.outputs.unconfirmed ? "waiting" : "done" };
        return result;
      } catch (error) {
        const earlier = resource.ending?.kind === "failed" ? resource.ending.error : undefined;
        const isFinal = error instanceof RecordedError || earlier === undefined;
        const thrown = isFinal
          ? error
          : new RecordedError(error instanceof WebhookError ? error : earlier, earlier);
        resource.ending = { kind: "failed", error: thrown instanceof RecordedError ? thrown : undefined };
        throw thrown;
      }
    });
  }

  /**
   * Runs an operation that may change a webhook, unless the gate is closed. Its start is noted: if this process dies in it, nothing
   * else may show that. A preview runs none, and nothing shows the stack of a destroy by the dynamic provider.
   *
   * @throws WebhookError also if a create of the stack is unresolved. A warning of the run names all.
   */
  #operate<Value>(action: string, urn: string | undefined, act: () => Promise<Value>): Promise<Value> {
    const { run, notes } = this.#session;
    const { program } = run;
    return this.#session.runOperation(async () => {
      if (program?.gate !== undefined) throw gateClosedError(action);
      const ofStack = urn ?? program?.urn;
      if (ofStack === undefined) return act();
      const end = notes.noteOperation(ofStack, program?.organization);
      return act().finally(end);
    });
  }
}
