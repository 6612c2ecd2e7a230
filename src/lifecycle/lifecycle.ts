import { label, shownName } from "../record/label.js";
import type { ResourceContext } from "../record/properties.js";
import { logicalNameOf } from "../record/urn.js";
import type { ParsedSettings } from "../settings/settings.js";
import { WebhookError } from "../wording/errors.js";
import { type Checked, type CheckRequest, check } from "./check.js";
import { create } from "./create.js";
import { type Change, gateClosedError } from "./decision.js";
import { deleteWebhook } from "./delete.js";
import { diff } from "./diff.js";
import { readImport } from "./import.js";
import { read } from "./read.js";
import { RecordedError } from "./run.js";
import { Session, type SessionSurroundings } from "./session.js";
import { readEntry } from "./state.js";
import { update } from "./update.js";
import type { Action, Changes, ReadResult, Received, Result, Timed } from "./values.js";

/** What a face passes of a recorded webhook that may change. */
interface Passed extends Omit<Change, "resource" | "entry"> {
  /** That of the resource: see `resourceKeyOf`. Undefined for records of earlier versions. */
  key: string | undefined;
  id: string;
  olds: Received;
}

/**
 * The life of webhooks in one run of the engine, without regard to how Pulumi reaches it.
 *
 * One instance serves all webhooks of one account, many at a time, and so shares one client. Secrets arrive in plain text.
 * Its methods throw a WebhookError, or a RecordedError if the engine must record the webhook nevertheless.
 */
export class WebhookLifecycle {
  readonly #session: Session;

  constructor(settings: ParsedSettings, surroundings: SessionSurroundings) {
    this.#session = new Session(settings, surroundings);
  }

  check(request: CheckRequest): Promise<Checked> {
    return check(this.#session, request);
  }

  async diff(passed: Passed): Promise<Changes> {
    const { kind } = await diff(this.#session, this.#changeOf(passed));
    return kind === "replace" ? { changes: true, replaces: ["secret"] } : { changes: kind !== "keep" };
  }

  create({ key, inputs, ...timed }: Timed & Pick<Passed, "key"> & { inputs: Received }): Promise<Result> {
    const resource = this.#session.run.of(key);
    const { urn } = resource;
    const webhook = urn === undefined ? "a webhook" : `webhook ${shownName(logicalNameOf(urn))}`;
    const request = { ...timed, resource, received: inputs, action: `Creating ${webhook}` };
    return this.#change(request, () => create(this.#session, request));
  }

  update({ deadlineSeconds, ...passed }: Timed & Passed): Promise<Result> {
    const change = this.#changeOf(passed);
    const action = `Updating ${label(passed.id, change.resource.urn)}`;
    const request = { ...change, action, deadlineSeconds };
    return this.#change(request, () => update(this.#session, request));
  }

  #changeOf({ key, id, olds, ...change }: Passed): Change {
    const resource = this.#session.run.of(key);
    return { ...change, resource, entry: readEntry(id, olds, resource) };
  }

  /** @returns undefined if the webhook is gone. */
  read(id: string, outputs: Received): Promise<ReadResult | undefined> {
    return this.#session.runOperation(() => read(this.#session, readEntry(id, outputs)));
  }

  /** Reads a webhook that the engine imports by an option of its own: it passes the id, and no outputs. */
  readImport(request: { id: string; context: ResourceContext }): Promise<ReadResult> {
    return this.#session.runOperation(() => readImport(this.#session, request));
  }

  /** @param urn that of the resource. The engine does not pass it to a dynamic provider. */
  delete(
    id: string,
    outputs: Received,
    { urn, ...timed }: Timed & { urn?: string | undefined } = {},
  ): Promise<void> {
    const action = `Deleting ${label(id, urn)}`;
    const request = { ...timed, action, entry: readEntry(id, outputs, { urn }) };
    return this.#operate(action, () => deleteWebhook(this.#session, request));
  }

  /**
   * Runs a create or an update of a resource, which the engine repeats if an error hook of the program asks for it. The engine saves what
   * its last attempt says.
   *
   * @throws what the attempt throws. One that is refused gets the record of an attempt that may have taken effect.
   */
  #change({ resource, action }: Action & Pick<Change, "resource">, act: () => Promise<Result>) {
    return this.#operate(action, async () => {
      try {
        const result = await act();
        resource.ending = result.outputs.unconfirmed ? { kind: "waiting" } : undefined;
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
   * Runs an operation that may change a webhook, unless the gate is closed.
   *
   * @throws WebhookError also if a create of the stack is unresolved. A warning of the run names all.
   */
  #operate<Value>(action: string, act: () => Promise<Value>): Promise<Value> {
    return this.#session.runOperation(async () => {
      if (this.#session.run.program?.gate !== undefined) throw gateClosedError(action);
      return act();
    });
  }
}
