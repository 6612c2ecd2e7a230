import { type ResourceContext, resourceKeyOf } from "../record/properties.js";
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
type Ending =
  | { kind: "done" }
  /** The webhook should be enabled, and is not yet. */
  | { kind: "waiting" }
  /** Without an error to record, the recorded state is still true. An error hook of the program can ask the engine to repeat it. */
  | { kind: "failed"; error: RecordedError | undefined };

/** What this run knows of one resource: what the program says of it, what becomes of its webhook, and how that ended. */
export interface Resource {
  /** Undefined in a refresh, and of a resource without a key. */
  urn?: string | undefined;
  /** What the program, or the plugin, says of it, and its inputs with their defaults. Undefined if check has not reached it. */
  declared?: { context: ResourceContext; inputs: Properties };
  /** Undefined until check or diff has decided. */
  decision?: Decision;
  ending?: Ending;
  /** The id of the webhook that it has created or imported in this run. */
  made?: string;
}

/** Returns the id of the webhook that a resource has now, and keeps. */
function keptBy({ made, decision }: Resource): string | undefined {
  const isKept = ["keep", "record only", "update"].includes(decision?.kind ?? "");
  return made ?? (isKept && decision !== undefined && "id" in decision ? decision.id : undefined);
}

/** Returns the id of the webhook that the program imports, whichever way. */
function importedBy({ decision, declared }: Resource): unknown {
  return decision?.kind === "record import" ? decision.id : declared?.inputs.import;
}

/**
 * What one run of the engine knows of its resources, as far as one provider process serves them.
 *
 * The memory is by resource, never by equal inputs or names: two resources with the same url, name and secret are two.
 */
export class Run {
  /** Resources without a key, as earlier versions record them, are each on its own. */
  readonly #resources = new Map<string | symbol, Resource>();
  /** The ids that this process has deleted, also before it has checked what replaces them. */
  readonly deleted = new Set<string>();
  /** The ids that its reads have found to be gone. */
  readonly missing = new Set<string>();
  /** What a program says of its stack. Undefined in a refresh and in a destroy, which check no inputs. */
  program: Pick<ResourceContext, "urn" | "organization" | "gate" | "program"> | undefined;

  /** Returns a resource that the program declares. */
  declared(urn: string): Resource {
    return Object.assign(this.of(resourceKeyOf(urn)), { urn });
  }

  /** Returns a resource by its key. */
  of(key: string | symbol = Symbol()): Resource {
    const resource = this.#resources.get(key) ?? {};
    this.#resources.set(key, resource);
    return resource;
  }

  /** Begins with what a program says of its stack, which commands in messages name from then on. */
  begin(context: ResourceContext): void {
    this.program ??= context;
    serveStack(printStackName(stackOf(context.urn, context.organization)));
  }

  /** Returns the resource that has a webhook now, and keeps it. */
  ownerOf(id: string): Resource | undefined {
    return this.#find((resource) => keptBy(resource) === id);
  }

  /** Returns a resource whose import of a webhook the program declares. */
  importerOf(id: string): Resource | undefined {
    return this.#find((resource) => importedBy(resource) === id);
  }

  /** Returns the resource that replaces a webhook, or has replaced it before this run. */
  successorOf(id: string): Resource | undefined {
    return this.#find(
      (resource) =>
        (resource.decision?.kind === "replace" && resource.decision.old.id === id) ||
        hadReplaced(resource, id),
    );
  }

  /** Reports whether the state says that a webhook was deleted before its replacement, which does not exist yet. */
  wasDeleted(id: string): boolean {
    const isIt = ({ past }: ResourceContext) =>
      past.kind === "known" && past.id === id && past.condition === "deleted";
    return this.#find(({ declared }) => declared !== undefined && isIt(declared.context)) !== undefined;
  }

  /** Reports whether the last create or update of a resource failed. With `--continue-on-error`, the engine would delete what has no replacement yet. */
  hasFailed(): boolean {
    return this.#find(({ ending }) => ending?.kind === "failed") !== undefined;
  }

  #find(isIt: (resource: Resource) => boolean): Resource | undefined {
    return [...this.#resources.values()].find(isIt);
  }
}

/** Reports whether the state shows that a resource had replaced a webhook before this run. */
export function hadReplaced({ declared }: Resource, id: string): boolean {
  const past = declared?.context.past;
  return past?.kind === "known" && past.obsolete?.includes(id) === true;
}
