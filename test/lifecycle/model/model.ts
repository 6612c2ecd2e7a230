import type { StoredWebhook } from "../../../src/simulator/index.js";
import { KEYS } from "./commands.js";
import type { Declaration, Recorded, Settings } from "./engine.js";
import { currentOf, FIELDS, isInDoubt } from "./invariants.js";

/** The obstacle of an import that would give a webhook two owners. */
export const HELD = "another resource has the webhook to import";

/** Everything that a person knows: the program, the settings, the dashboard and the state. */
export class Model {
  readonly program = new Map<string, Declaration>();
  key: string = KEYS[0];
  drift: Settings["drift"] = "off";
  /** How the API treats the fields that an update omits; undefined until something depends on it. */
  omittedFields: "kept" | "cleared" | undefined;
  records: readonly Recorded[] = [];
  webhooks: ReadonlyMap<string, StoredWebhook> = new Map();
  /** The owner of each webhook: the resource that created or imported it. All other webhooks are strangers'. */
  readonly owners = new Map<string, string>();
  /** Imported webhooks, whose secret nobody can know. */
  readonly imported = new Set<string>();
  /** Webhooks edited in the dashboard and not updated since. */
  readonly edited = new Set<string>();
  /** Webhooks deleted in the dashboard, or by a delete without a reply, that may still be recorded. */
  readonly gone = new Set<string>();

  /** Changes a resource's declaration in the program. */
  change(resource: string, change: (old: Declaration) => Declaration): void {
    const old = this.program.get(resource);
    if (old !== undefined) this.program.set(resource, change(old));
  }

  isImported(id: string | undefined): boolean {
    return id !== undefined && [...this.program.values()].some((declaration) => declaration.import === id);
  }

  /** Reports whether the webhook of a resource is recorded, not in doubt, and exists. */
  isHealthy(resource: string): boolean {
    const record = currentOf(this.records, resource);
    return record !== undefined && !record.pendingReplacement && this.webhooks.has(record.id);
  }

  /** Reports whether a logical name is free for a new resource. */
  isUnused(resource: string): boolean {
    return !this.program.has(resource) && !this.records.some((record) => record.resource === resource);
  }

  /** Returns the webhooks that the program neither owns nor is about to import. */
  strangers(): string[] {
    return [...this.webhooks.keys()].filter((id) => !this.owners.has(id) && !this.isImported(id));
  }

  anyWebhook(nth: number): string {
    return [...this.webhooks.keys()][nth % this.webhooks.size] ?? "";
  }

  /** Returns the records in doubt that wait for a person's decision. */
  inDoubt(): Recorded[] {
    return [...this.program.keys()]
      .map((resource) => currentOf(this.records, resource))
      .filter((record) => record !== undefined && isInDoubt(record) && !record.pendingReplacement)
      .filter((record) => record !== undefined);
  }

  /** Returns the other resources that have a webhook, or import it. */
  holders(resource: string, id: string): string[] {
    const recorded = this.records.filter((record) => record.id === id).map((record) => record.resource);
    const importing = [...this.program]
      .filter(([, declared]) => declared.import === id)
      .map(([name]) => name);
    return [...recorded, ...importing].filter((other) => other !== resource);
  }

  isRecordedTwice(id: string | undefined): boolean {
    return this.records.filter((record) => record.id === id).length > 1;
  }

  /** Returns the records that the program can be reverted to. */
  reverted(): Recorded[] {
    return this.records.filter(
      ({ id, delete: isOver }) =>
        !isOver &&
        !isInDoubt({ id }) &&
        !this.isImported(id) &&
        // A rename that is half done must be completed: two resources cannot own one webhook.
        !this.isRecordedTwice(id),
    );
  }

  /** Returns the resources whose webhook is recorded and gone. */
  missing(): string[] {
    return [...this.program.keys()].filter((resource) => {
      const record = currentOf(this.records, resource);
      return record !== undefined && !isInDoubt(record) && !this.webhooks.has(record.id);
    });
  }

  /** Explains why an up cannot succeed, even if the API behaves well. */
  obstacles(replace: ReadonlySet<string>): string[] {
    return [...this.program].flatMap(([resource, declared]) => {
      const obstacle = this.#obstacle(declared, currentOf(this.records, resource), replace.has(resource));
      return obstacle === undefined ? [] : [`${resource}: ${obstacle}`];
    });
  }

  #obstacle(declared: Declaration, old: Recorded | undefined, isTarget: boolean): string | undefined {
    const { import: id } = declared;
    const nothingToImport =
      id !== undefined && !this.webhooks.has(id) ? "there is nothing to import" : undefined;
    const isRecorded = id !== undefined && this.records.some((record) => record.id === id);
    const isTwice =
      [...this.program.values()].filter((one) => id !== undefined && one.import === id).length > 1;
    const isHeld = isRecorded || isTwice;
    const problem = isHeld ? HELD : nothingToImport;
    const isOpen = old !== undefined && isInDoubt(old) && !old.pendingReplacement;
    if (isOpen && declared.provider !== old.provider) return "it is in doubt with another Provider";
    if (old === undefined) return problem;
    const hasOtherSecret = declared.secret !== old.outputs.secret;
    const isReplaced = isTarget || hasOtherSecret || old.outputs.notFound === true;
    if (isReplaced && declared.provider !== old.provider && !old.pendingReplacement) {
      return "it is replaced and moves to another Provider";
    }
    if (isTarget) return problem;
    if (isInDoubt(old) && id !== undefined && hasOtherSecret) return "its create sent another secret";
    if (isInDoubt(old)) return id === undefined && !old.pendingReplacement ? "it is in doubt" : problem;
    if (id !== undefined && id !== old.id) return "it is not the webhook to import";
    if (hasOtherSecret) return id === undefined ? undefined : "it is imported and has a new secret";
    if (old.pendingReplacement) return problem;
    if (old.outputs.notFound === true && id !== old.id) return undefined;
    const differs = FIELDS.some((field) => declared[field] !== old.outputs[field]);
    const { changedOutsidePulumi, unconfirmed, notFound } = old.outputs;
    const isMarked = changedOutsidePulumi || unconfirmed || notFound;
    const isUpdated = differs || old.initErrors.length > 0 || isMarked;
    return isUpdated && !this.webhooks.has(old.id) ? "it is gone" : undefined;
  }
}
