import { WebhookError } from "../errors.js";
import type { CreateNote } from "../journal/journal.js";
import { isInDoubt } from "../stack/in-doubt.js";
import type { Past } from "../stack/past.js";
import type { State } from "./state.js";

/** Inputs and outputs as a face passes them: parsed before anything is done with them. */
export type Properties = Record<string, unknown>;

/** The id of a webhook, and the outputs to record. */
export interface Result {
  id: string;
  outputs: Properties;
}

/** An error under whose id the engine records a webhook: it exists, or may exist. The next up then calls update. */
export class RecordedError extends WebhookError {
  readonly id: string;
  readonly #outputs: Properties;

  constructor({ summary, detail, failure }: WebhookError, { id, outputs }: Result) {
    super({ summary, detail, failure });
    this.id = id;
    this.#outputs = outputs;
  }

  /** The outputs to record. Whatever prints the error does not show them: they hold the secret. */
  get outputs(): Properties {
    return this.#outputs;
  }
}

/** What this run did with a resource's webhook. */
export type RunOutcome =
  | { kind: "created"; id: string }
  /** Also while the import is under way. */
  | { kind: "imported"; id: string; result: Promise<Result> }
  | { kind: "updated"; id: string }
  /** The create was sent, by this run or an interrupted one, and its outcome is unknown. The reply may have had an id. */
  | { kind: "in doubt"; sentAt: Date; reason: string; id?: string };

/** What this run knows of one resource. */
export class Resource {
  /** What the stack's state says. Undefined if it could not be read, or if the program has not declared the resource yet. */
  past: Past | undefined;
  /** The id that the engine has recorded. The engine knows aliases that the program's reading of the state does not see. */
  recordedId: string | undefined;
  /** The id under which the engine imports the webhook in this run, by an option of its own. */
  engineImportId: string | undefined;
  /** What the last check approved, and whether a create follows: of a new webhook, or of a replacement. */
  declared: { inputs: Properties; isCreate: boolean } | undefined;
  /** What the option `ignoreChanges` names of url, name, enabled and secret. */
  ignored: readonly string[] = [];
  /** Where a create of the resource is noted. */
  note: CreateNote | undefined;
  /** Whether an update or a delete of the webhook was interrupted, or had no clear reply. */
  hasInterruptedChange = false;
  /** The recorded outputs that diff compared. */
  recorded: State | undefined;
  outcome: RunOutcome | undefined;
  /** The attempts that failed in a row: an error hook of the program can ask the engine to repeat an operation. */
  failures: { count: number; recorded: RecordedError | undefined } = { count: 0, recorded: undefined };

  /** Undefined in a refresh, and of a resource without a key. */
  get urn(): string | undefined {
    return this.note?.urn;
  }

  /** The id of the webhook that the program imports. */
  get importId(): string | undefined {
    const { import: id } = this.declared?.inputs ?? {};
    return typeof id === "string" ? id : undefined;
  }

  /** Whether the program declares the resource with the webhook that is recorded. */
  get keepsItsWebhook(): boolean {
    return this.declared !== undefined && !this.declared.isCreate;
  }

  /** Whether this run knows that the resource's webhook exists. */
  get exists(): boolean {
    return this.outcome !== undefined && this.outcome.kind !== "in doubt";
  }

  /** The id of the webhook that the resource has now, and keeps. Undefined if it is unknown, or to be replaced. */
  get currentId(): string | undefined {
    if (this.outcome !== undefined) return this.outcome.id;
    if (this.engineImportId !== undefined) return this.engineImportId;
    return this.keepsItsWebhook && !isInDoubt(this.recordedId ?? "") ? this.recordedId : undefined;
  }

  /** Reports whether this run knows a webhook as the resource's: recorded, replaced, imported, created or updated. */
  has(id: string): boolean {
    if (this.recordedId === id || this.importId === id || this.engineImportId === id) return true;
    return this.outcome?.id === id || this.past?.replacedIds?.includes(id) === true;
  }
}

/**
 * What one run of the engine knows of its resources, as far as one provider process serves them.
 *
 * The memory is by resource, never by equal inputs or names: two resources with the same url, name and secret are two.
 */
export class Run {
  readonly #keyed = new Map<string, Resource>();
  readonly #resources: Resource[] = [];

  /** All resources, in the order in which they came. */
  get resources(): readonly Resource[] {
    return this.#resources;
  }

  /** Whether this is an up or its preview. A refresh compares, too, but checks no inputs. */
  get hasProgram(): boolean {
    return this.#resources.some(({ declared }) => declared !== undefined);
  }

  /** Returns a resource by its key. Without a key, as earlier versions record it, each operation is on its own. */
  of(key: unknown): Resource {
    const known = typeof key === "string" ? this.#keyed.get(key) : undefined;
    if (known !== undefined) return known;
    const resource = new Resource();
    this.#resources.push(resource);
    if (typeof key === "string") this.#keyed.set(key, resource);
    return resource;
  }

  /** Returns the resources that have, had, or import a webhook. A delete gets an id, and no key. */
  withId(id: string): Resource[] {
    return this.#resources.filter((resource) => resource.has(id));
  }

  /** Returns another resource that has a webhook now, and keeps it. */
  otherOwnerOf(id: string, resource: Resource): Resource | undefined {
    return this.#resources.find((other) => other !== resource && other.currentId === id);
  }
}
