import { keyOf, type ResourceContext } from "../record/properties.js";
import { printStackName } from "../record/stack-name.js";
import { stackOf } from "../record/urn.js";
import { serveStack } from "../wording/command.js";
import { WebhookError } from "../wording/errors.js";
import type { Decision } from "./decision.js";
import type { Properties, Result } from "./values.js";

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

/** How the last create or update of a resource in this run ended. */
type Outcome =
  | { kind: "done" }
  /** The webhook should be enabled, and is not yet. */
  | { kind: "waiting" }
  /** Without an error to record, the recorded state is still true. An error hook of the program can ask the engine to repeat it. */
  | { kind: "failed"; error: RecordedError | undefined };

/** What this run knows of one resource: what the program says of it, what becomes of its webhook, and how that ended. */
export class Resource {
  /** Undefined in a refresh, and of a resource without a key. */
  urn: string | undefined;
  /** What the program, or the plugin, says of it, and its inputs with their defaults. Undefined if check has not reached it. */
  declared: { context: ResourceContext; inputs: Properties } | undefined;
  decision: Decision = { kind: "keep" };
  outcome: Outcome | undefined;
  /** The id of the webhook that it has now, and keeps. */
  id: string | undefined;

  /** Reports whether the state shows that it had replaced a webhook before this run. */
  hadReplaced(id: string): boolean {
    const past = this.declared?.context.past;
    return past?.kind === "known" && past.obsolete?.includes(id) === true;
  }

  /** The id of the webhook that the program imports, whichever way. */
  get importId(): string | undefined {
    if (this.decision.kind === "record import") return this.decision.id;
    const { import: id } = this.declared?.inputs ?? {};
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
  /** The resources that have webhooks now, and keep them, by the ids of these. */
  readonly owners = new Map<string, Resource>();
  /** The resources that have replaced webhooks, in this run or before, by the ids of these. */
  readonly successors = new Map<string, Resource>();
  /** The ids that this process has deleted, or has found to be gone. */
  readonly gone = new Set<string>();
  /** Whether a create or an update has failed. With `--continue-on-error`, the engine would delete what has no replacement yet. */
  hasFailed = false;
  /** What a program says of its stack. Undefined in a refresh and in a destroy, which check no inputs. */
  program: Pick<ResourceContext, "urn" | "organization" | "gate" | "program"> | undefined;

  /** Returns a resource that the program declares. */
  declared(urn: string): Resource {
    const resource = this.of(keyOf(urn));
    resource.urn = urn;
    return resource;
  }

  /** Returns a resource by its key. Without a key, as earlier versions record it, each operation is on its own. */
  of(key: string | undefined): Resource {
    const resource = (key === undefined ? undefined : this.#resources.get(key)) ?? new Resource();
    if (key !== undefined) this.#resources.set(key, resource);
    return resource;
  }

  /** Begins with what a program says of its stack, which commands in messages name from then on. */
  begin(context: ResourceContext): void {
    this.program ??= context;
    serveStack(printStackName(stackOf(context.urn, context.organization)));
  }

  /** Remembers what the program says of a resource, and what becomes of its webhook. */
  declare(resource: Resource, declared: NonNullable<Resource["declared"]>, decision: Decision): void {
    const { context } = declared;
    resource.declared = declared;
    if (context.past.kind === "known")
      for (const id of context.past.obsolete ?? []) this.successors.set(id, resource);
    this.decide(resource, decision);
  }

  /** Remembers what becomes of a resource's webhook: whether it keeps one, and which one it replaces. */
  decide(resource: Resource, decision: Decision): void {
    resource.decision = decision;
    switch (decision.kind) {
      case "replace":
      case "create":
      case "import":
        if (decision.kind === "replace") this.successors.set(decision.old.id, resource);
        this.own(resource, undefined);
        break;
      case "keep":
      case "record only":
      case "update":
        if (decision.id !== undefined) this.own(resource, decision.id);
    }
  }

  /** Remembers which webhook a resource has now, and keeps: by its record, a create or an import. */
  own(resource: Resource, id: string | undefined): void {
    if (resource.id !== undefined && this.owners.get(resource.id) === resource)
      this.owners.delete(resource.id);
    resource.id = id;
    if (id !== undefined) this.owners.set(id, resource);
  }

  /** Returns a resource whose import of a webhook the program declares. */
  importerOf(id: string): Resource | undefined {
    return [...this.#resources.values()].find(({ importId }) => importId === id);
  }
}
