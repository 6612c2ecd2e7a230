import type { Known } from "../record/past.js";
import { type ResourceContext, resourceKeyOf } from "../record/properties.js";
import { printStackName } from "../record/stack-name.js";
import { stackOf } from "../record/urn.js";
import { serveStack } from "../wording/command.js";
import { WebhookError } from "../wording/errors.js";
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

  /** The outputs to record. They hold the secret, so no property does: what prints an error shows its properties. */
  get outputs(): Properties {
    return this.#outputs;
  }
}

/**
 * What this run does with the webhook of one resource. Check decides it for a create, diff for a webhook that is recorded; create and
 * update carry it out. Deletes, for which the engine asks by itself, have one decision of their own: `decideDelete`.
 */
export type Decision =
  | { kind: "create" }
  /** Creates one in the place of another, which the engine deletes. */
  | { kind: "replace"; old: Known }
  /** Sends what is declared to the webhook that the program imports. */
  | { kind: "import" }
  /** Records a webhook that the engine imports by an option of its own: the next up sends what is declared. */
  | { kind: "record import"; id: string }
  /** Leaves a webhook as it is. Check does not know that of a resource which an alias renames. */
  | { kind: "keep"; id?: string | undefined }
  /** Records it again, with the secret that the program says it has, or the mark of the Provider to which it has moved. Nothing is sent. */
  | { kind: "record only"; id: string; adds: Properties }
  | { kind: "update"; id: string; because: Reason }
  /** Does nothing with it, since going on would touch another webhook, or lose one: the run fails. */
  | { kind: "refuse"; error: WebhookError };

export type Reason =
  | "it changed"
  | "it is imported"
  | "it may differ"
  | "the API moved"
  | "it is enforced"
  /** The update fails, and says why. */
  | "it cannot be read";

/** How the last create or update of a resource in this run ended, if not well. */
type Ending =
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
  decision?: Decision;
  ending?: Ending | undefined;
  /** The id of the webhook that it has created or imported in this run. */
  made?: string;
}

/** Returns the webhook that the state had of a resource before this run. */
export function knownBefore({ declared }: Resource): Known | undefined {
  const past = declared?.context.past;
  return past?.kind === "known" ? past : undefined;
}

/**
 * What one run of the engine knows of its resources, as far as one provider process serves them. The memory is by resource, never by equal
 * inputs or names: two resources with the same url, name and secret are two.
 */
export class Run {
  /** Resources without a key, as earlier versions record them, are each on its own. */
  readonly #resources = new Map<string | symbol, Resource>();
  /** The ids that this process has deleted, also before it has checked what replaces them. */
  readonly deleted = new Set<string>();
  /** The ids that its reads have found to be gone. */
  readonly missing = new Set<string>();
  /** What a program says of its stack. Undefined in a refresh and in a destroy, which check no inputs. */
  program: Pick<ResourceContext, "organization" | "gate" | "program"> | undefined;

  declared(urn: string): Resource {
    return Object.assign(this.of(resourceKeyOf(urn)), { urn });
  }

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

  find(isIt: (resource: Resource) => boolean): Resource | undefined {
    return [...this.#resources.values()].find(isIt);
  }

  /** Returns the resource that has a webhook now, and keeps it. */
  ownerOf(id: string): Resource | undefined {
    return this.find((resource) => keptBy(resource) === id);
  }

  /** Returns a resource whose import of a webhook the program declares, whichever way. */
  importerOf(id: string): Resource | undefined {
    return this.find(
      ({ decision, declared }) =>
        (decision?.kind === "record import" ? decision.id : declared?.inputs.import) === id,
    );
  }
}

function keptBy({ made, decision }: Resource): string | undefined {
  const isKept = decision?.kind === "keep" || decision?.kind === "record only" || decision?.kind === "update";
  return made ?? (isKept ? decision.id : undefined);
}
