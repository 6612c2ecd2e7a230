import type { Past } from "../record/past.js";
import type { ResourceContext } from "../record/properties.js";
import { printStackName } from "../record/stack-name.js";
import { stackOf } from "../record/urn.js";
import { serveStack } from "../wording/command.js";
import { WebhookError } from "../wording/errors.js";

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

/** What this run knows of one resource: what the past says of it, what check saw, and what the run did. */
export class Resource {
  /** What the program, or the plugin, says of it with a check. */
  context: ResourceContext | undefined;
  /** The inputs that check has seen, with their defaults. Undefined if it has not reached the resource. */
  checked: Properties | undefined;
  /** The id of the webhook that it had before, if diff has decided to replace it. */
  replacedId: string | undefined;
  /** The id under which the engine imports the webhook in this run, by an option of its own. */
  engineImportId: string | undefined;
  /** The id of the webhook that it has now, and keeps. */
  id: string | undefined;
  /** The time limit that the program sets for the operation that runs, in seconds. Default: that of the settings. */
  deadlineSeconds: number | undefined;
  /** Whether its update only lets the engine record it again, and sends nothing. */
  isOnlyRecorded = false;
  /** The failure under which the webhook is recorded: an error hook of the program can ask the engine to repeat the operation. */
  failure: RecordedError | undefined;

  /** What the state says. A resource that check has not reached counts as new. */
  get past(): Past {
    return this.context?.past ?? { kind: "new" };
  }

  /** Undefined in a refresh, and of a resource without a key. */
  get urn(): string | undefined {
    return this.context?.urn;
  }

  /** The id of the webhook that the program imports. */
  get importId(): string | undefined {
    const { import: id } = this.checked ?? {};
    return typeof id === "string" ? id : undefined;
  }
}

/**
 * What one run of the engine knows of its resources, as far as one provider process serves them.
 *
 * The memory is by resource, never by equal inputs or names: two resources with the same url, name and secret are two.
 */
export class Run {
  readonly #resources = new Map<string, Resource>();
  readonly #owners = new Map<string, Resource>();
  readonly #creates = new Set<Promise<unknown>>();
  /** The ids that this process has deleted, or has found to be gone. */
  readonly gone = new Set<string>();
  /** The ids of the webhooks whose own replacements the state had recorded before this run. They alone are deleted after a failure. */
  readonly obsolete = new Set<string>();
  /** Whether a create or an update has failed. With `--continue-on-error`, the engine would delete what has no replacement yet. */
  hasFailed = false;
  /**
   * What the program says of a resource of the stack: the first one that check has seen. Undefined unless this is an up or its
   * preview. A refresh compares, too, but checks no inputs; nor does a destroy.
   */
  context: ResourceContext | undefined;

  /** Returns a resource by its key. Without a key, as earlier versions record it, each operation is on its own. */
  of(key: string | undefined): Resource {
    const resource = (key === undefined ? undefined : this.#resources.get(key)) ?? new Resource();
    if (key !== undefined) this.#resources.set(key, resource);
    return resource;
  }

  /** Remembers what the program says of a resource that check has seen. */
  remember(context: ResourceContext): void {
    const { urn, organization, past } = context;
    this.context ??= context;
    serveStack(printStackName(stackOf(urn, organization)));
    if (past.kind === "known") for (const id of past.obsolete ?? []) this.obsolete.add(id);
  }

  /** Remembers which webhook a resource has now, and keeps: by its record, a create or an import. */
  own(resource: Resource, id: string | undefined): void {
    if (resource.id !== undefined && this.ownerOf(resource.id) === resource) this.#owners.delete(resource.id);
    resource.id = id;
    if (id !== undefined) this.#owners.set(id, resource);
  }

  /** Returns the resource that has a webhook now, and keeps it. */
  ownerOf(id: string): Resource | undefined {
    return this.#owners.get(id);
  }

  /** Runs a create, whose id is not known until its reply. */
  async creating<Reply>(create: Promise<Reply>): Promise<Reply> {
    this.#creates.add(create);
    try {
      return await create;
    } finally {
      this.#creates.delete(create);
    }
  }

  /** Waits for the creates in flight: one of them may get the id that is about to be imported. */
  async endOfCreates(): Promise<void> {
    while (this.#creates.size > 0) await Promise.allSettled(this.#creates);
  }

  /** Returns a resource whose import of a webhook the program declares. */
  importerOf(id: string): Resource | undefined {
    const resources = [...this.#resources.values()];
    return resources.find(({ importId, engineImportId }) => importId === id || engineImportId === id);
  }
}

/** Whether the engine must change a webhook, and the names of what replaces it. An update that only records is a change, too. */
export interface Changes {
  changes: boolean;
  replaces?: string[];
}

/** What is recorded of a webhook after a read. */
export interface ReadResult {
  outputs: Properties;
  /** Inputs to record, which differ from what the program declares. Undefined if the recorded ones stay. */
  inputs?: Properties;
}
