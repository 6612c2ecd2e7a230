/**
 * Tracks the imports of one provider process.
 *
 * A webhook can have two records, since one that is recorded already may be imported: with `--replace` while import is
 * set, or under another name. The engine passes a provider neither the name of a resource nor the next operation, so the
 * meaning of a delete follows from what came before it: the declared imports, the diffs, and the imports themselves.
 */
export class ImportTracker {
  /** The ids that the program declares to import. */
  readonly #declared = new Set<string>();
  /** The ids whose import has started, and the names of their webhooks. */
  readonly #started = new Map<string, string>();
  /** The ids of webhooks that stay, and which record of each: the time of its import, if it was imported. */
  readonly #staying = new Map<string, string | undefined>();
  /** The import that the program declares for each id in doubt. */
  readonly #resolvedBy = new Map<string, unknown>();

  /** Notes that the program declares to import a webhook. */
  declare(id: string): void {
    this.#declared.add(id);
  }

  isDeclared(id: string): boolean {
    return this.#declared.has(id);
  }

  /** Notes that a record was compared with the program, and whether it stays or is replaced. */
  compared(id: string, importedAt: string | undefined, { stays }: { stays: boolean }): void {
    if (stays) this.#staying.set(id, importedAt);
    else this.#staying.delete(id);
  }

  /** Notes that the program declares to import a webhook in place of one in doubt. The id may be unknown yet. */
  resolve(inDoubtId: string, id: unknown): void {
    this.#resolvedBy.set(inDoubtId, id);
  }

  /** Reports whether the webhook of an id in doubt was found and imported in this run. */
  isResolved(inDoubtId: string): boolean {
    const id = this.#resolvedBy.get(inDoubtId);
    return typeof id === "string" && this.#started.has(id);
  }

  /** Starts an import. @returns the name of another resource that imports the same webhook, if there is one. */
  start(id: string, name: string): string | undefined {
    const other = this.#started.get(id);
    if (other === undefined) this.#started.set(id, name);
    return other;
  }

  /** Notes that an import failed. */
  fail(id: string): void {
    this.#started.delete(id);
  }

  /** Notes that an import succeeded. @returns its time, which distinguishes the new record from older ones. */
  succeed(id: string): string {
    const importedAt = new Date().toISOString();
    this.#staying.set(id, importedAt);
    return importedAt;
  }

  /** Reports whether a record is an older one of a webhook that stays under another record. */
  isOlderRecord(id: string, importedAt: string | undefined): boolean {
    return this.#staying.has(id) && this.#staying.get(id) !== importedAt;
  }
}
