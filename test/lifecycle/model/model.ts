import type { StoredWebhook } from "../../../src/simulator/index.js";
import { KEYS } from "./commands.js";
import type { Alias, Declaration, InterruptedChange, ProviderName, Recorded, Settings } from "./engine.js";
import { currentOf, FIELDS, isInDoubt } from "./invariants.js";

/** The obstacle of an import that would give a webhook two owners. */
export const HELD = "another resource has the webhook to import";

/** Everything that a person knows: the program, the settings, the dashboard and the state. */
export class Model {
  readonly program = new Map<string, Declaration>();
  key: string = KEYS[0];
  drift: Settings["drift"] = "off";
  /** Whether the API uses the ids of deleted webhooks again. */
  usesIdsAgain = false;
  /** How the API treats the fields that an update omits; undefined until something depends on it. */
  omittedFields: "kept" | "cleared" | undefined;
  /** The records under the names that the state has. */
  recorded: readonly Recorded[] = [];
  webhooks: ReadonlyMap<string, StoredWebhook> = new Map();
  /** The owner of each webhook: the resource that created or imported it. All other webhooks are strangers'. */
  readonly owners = new Map<string, string>();
  /** Imported webhooks, whose secret nobody can know. */
  readonly imported = new Set<string>();
  /** Webhooks edited in the dashboard and not updated since. */
  readonly edited = new Set<string>();
  /** Webhooks deleted in the dashboard, or by a delete without a reply, that may still be recorded. */
  readonly gone = new Set<string>();
  /** Recorded webhooks whose failed delete may have taken effect, as the user was told. */
  readonly maybeGone = new Set<string>();
  /** The change in which the last run was killed. Only the next run can see it. */
  lastInterrupted: InterruptedChange | undefined;
  /** The program of the last up that ended well. */
  #applied: ReadonlyMap<string, Declaration> = new Map();
  /** Whether resources may have equal inputs. */
  readonly hasTwins: boolean;
  /** Whether a run may be killed. */
  readonly canBeKilled: boolean;

  constructor({ hasTwins, canBeKilled }: Pick<Model, "hasTwins" | "canBeKilled">) {
    this.hasTwins = hasTwins;
    this.canBeKilled = canBeKilled;
  }

  /**
   * The change in which the last run was killed, if the program can see it.
   *
   * A limit: an entry under the old name does not show the one that an alias by a transformation gives the webhook.
   */
  get interrupted(): InterruptedChange | undefined {
    const { lastInterrupted: last } = this;
    if (last === undefined) return undefined;
    const resource = this.nameOf(last.resource);
    const isUnseen = this.program.get(resource)?.alias?.by === "transformation";
    return last.resource !== resource && isUnseen ? undefined : { ...last, resource };
  }

  /** The records under the names that the program has. A resource that was renamed is recorded under its alias until an up. */
  get records(): readonly Recorded[] {
    return this.recorded.map((record) => {
      const resource = this.nameOf(record.resource);
      return resource === record.resource ? record : { ...record, resource };
    });
  }

  /** Returns the name that the program has for a resource of the state. */
  nameOf(recorded: string): string {
    for (const [resource, { alias }] of this.program) if (alias?.name === recorded) return resource;
    return recorded;
  }

  /** Returns the names that the state may have for a resource. */
  namesOf(resource: string): string[] {
    const { alias } = this.program.get(resource) ?? {};
    return alias === undefined ? [resource] : [resource, alias.name];
  }

  /** Reports whether a resource was renamed, and is still recorded under its old name. */
  isBeingRenamed(resource: string): boolean {
    const { alias } = this.program.get(resource) ?? {};
    return this.recorded.some((record) => record.resource === alias?.name);
  }

  /** Renames a resource, with an alias. */
  rename(from: string, to: string, by: Alias["by"]): void {
    const declared = this.program.get(from);
    if (declared === undefined) return;
    this.program.delete(from);
    this.program.set(to, { ...declared, alias: { name: from, by } });
    for (const [id, owner] of this.owners) if (owner === from) this.owners.set(id, to);
  }

  /** Returns a resource and those that have the same inputs. */
  twinsOf(resource: string): string[] {
    const inputs = inputsOf(this.program.get(resource));
    return [...this.program].filter(([, other]) => inputsOf(other) === inputs).map(([name]) => name);
  }

  /**
   * Reports whether a new resource has the url and the name of another one's webhook in doubt. It may be that one, renamed
   * without an alias, so the provider may refuse to create it.
   */
  isTwinOfDoubt(): boolean {
    const doubts = this.records.filter(isInDoubt);
    return [...this.program].some(
      ([resource, { url, name }]) =>
        currentOf(this.records, resource) === undefined &&
        doubts.some(({ outputs }) => outputs.url === url && outputs.name === name),
    );
  }

  /**
   * Reports whether the API can use ids again from now on.
   *
   * Limits: only `created_at` shows that an id was used again. And a process that deletes a webhook does not know that
   * another Provider's has created one with the same id meanwhile.
   */
  mayUseIdsAgain(): boolean {
    const providers = [...this.program.values(), ...this.recorded].map(({ provider }) => provider);
    const isDated = (record: Recorded) => isInDoubt(record) || record.outputs.createdAt !== undefined;
    const isSettled = this.missing().length === 0 && this.lastInterrupted === undefined;
    return isSettled && providers.every((provider) => provider === "default") && this.recorded.every(isDated);
  }

  /** Replaces no webhook by deleting it first: nothing is left then to say whose the id is. */
  createBeforeDelete(): void {
    for (const resource of this.program.keys()) {
      this.change(resource, (old) => ({ ...old, deleteBeforeReplace: false }));
    }
  }

  /**
   * Reports whether the program can declare the resource of a record again.
   *
   * A limit: nothing is sent for a webhook that is declared again after a delete of unknown outcome, and it may be another.
   */
  canDeclareAgain(record: Recorded): boolean {
    return !this.usesIdsAgain || this.#exists(record);
  }

  /** Reports whether the program can use a Provider: see above. */
  canUse(provider: ProviderName): boolean {
    return !this.usesIdsAgain || provider === "default";
  }

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
    return record !== undefined && !record.pendingReplacement && this.#exists(record);
  }

  /** Reports whether a logical name is free for a new resource. */
  isUnused(resource: string): boolean {
    const isRecorded = this.recorded.some((record) => record.resource === resource);
    return !this.program.has(resource) && !this.isAlias(resource) && !isRecorded;
  }

  /** Reports whether `--replace` accepts a resource: the engine looks for it in the state, under its new name. */
  isReplaceable(resource: string): boolean {
    return this.program.has(resource) && !this.isBeingRenamed(resource);
  }

  isAlias(name: string): boolean {
    return [...this.program.values()].some(({ alias }) => alias?.name === name);
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
      (record) =>
        !record.delete &&
        this.canDeclareAgain(record) &&
        !isInDoubt(record) &&
        !this.isImported(record.id) &&
        // A rename that is half done must be completed: two resources cannot own one webhook.
        !this.isRecordedTwice(record.id),
    );
  }

  /** Notes that an up of the program ended well. */
  apply(): void {
    this.#applied = new Map(this.program);
  }

  /** Returns what the last up that ended well declared, as far as the program can go back to it. */
  applied(): [string, Declaration][] {
    const reverted = new Set(this.reverted().map(({ resource }) => resource));
    return [...this.#applied].filter(([resource]) => reverted.has(resource));
  }

  /** Returns the records whose webhook may be deleted, and that the program can declare again. */
  keepable(): Recorded[] {
    return this.reverted().filter(
      ({ id, resource, pendingReplacement }) =>
        this.maybeGone.has(id) && !pendingReplacement && !this.isBeingRenamed(resource),
    );
  }

  /** Returns the resources whose webhook is recorded and gone. */
  missing(): string[] {
    return [...this.program.keys()].filter((resource) => {
      const record = currentOf(this.records, resource);
      return record !== undefined && !isInDoubt(record) && !this.#exists(record);
    });
  }

  /** Explains why an up cannot succeed, even if the API behaves well. */
  obstacles(replace: ReadonlySet<string>): string[] {
    return [...this.program].flatMap(([resource, declared]) => {
      const old = currentOf(this.records, resource);
      const isTarget = replace.has(resource);
      const isUnseen = declared.alias?.by === "transformation" && this.isBeingRenamed(resource) && !isTarget;
      const obstacle =
        isUnseen && old !== undefined && isInDoubt(old)
          ? "it is in doubt, and a transformation renames it"
          : this.#obstacle(declared, old, isTarget);
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
    const isMarked = changedOutsidePulumi || unconfirmed || notFound || this.#isInterrupted(old);
    const isUpdated = differs || old.initErrors.length > 0 || isMarked;
    return isUpdated && !this.#exists(old) ? "it is gone" : undefined;
  }

  #isInterrupted({ resource, id }: Recorded): boolean {
    return this.interrupted?.id === id && this.interrupted.resource === resource;
  }

  /** Reports whether the webhook of a record exists. A later one that got its id is another. */
  #exists({ resource, id }: Recorded): boolean {
    const isOwn = !this.usesIdsAgain || this.owners.get(id) === resource;
    return isOwn && this.webhooks.has(id);
  }
}

function inputsOf({ url, name, enabled, secret }: Partial<Declaration> = {}): string {
  return JSON.stringify([url, name, enabled, secret]);
}
