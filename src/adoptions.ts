/**
 * What a provider process learns about adopted webhooks.
 *
 * A webhook can have two records, since one may be adopted that is recorded already: with `--replace` while import is set,
 * or under another name. The engine tells a provider neither the name of a resource nor what it will do next, so what a
 * delete is about follows from what was seen before it: the declared imports, the comparisons, and the adoptions.
 */
export class Adoptions {
  /** The ids that the program declares to adopt. */
  readonly #declared = new Set<string>();
  /** The ids that are being adopted or were, and the names they are adopted under. */
  readonly #adopting = new Map<string, string>();
  /** The ids whose webhooks stay, and which record of each: when it was adopted, if it was. */
  readonly #staying = new Map<string, string | undefined>();
  /** For each id in doubt whose webhook the program declares to adopt, the id of that one. */
  readonly #settledBy = new Map<string, unknown>();

  /** The program declares to adopt a webhook. */
  declare(id: string): void {
    this.#declared.add(id);
  }

  isDeclared(id: string): boolean {
    return this.#declared.has(id);
  }

  /** A recorded webhook was compared with what is declared: it stays, or it is replaced. */
  compared(id: string, adoptedAt: string | undefined, { stays }: { stays: boolean }): void {
    if (stays) this.#staying.set(id, adoptedAt);
    else this.#staying.delete(id);
  }

  /** The program declares to adopt a webhook for one in doubt. The id may be unknown yet. */
  settle(inDoubtId: string, id: unknown): void {
    this.#settledBy.set(inDoubtId, id);
  }

  /** Whether the webhook of an id in doubt was found, and was adopted in this run. */
  isSettled(inDoubtId: string): boolean {
    const id = this.#settledBy.get(inDoubtId);
    return typeof id === "string" && this.#adopting.has(id);
  }

  /** A webhook is to be adopted. @returns the name of the other resource that adopts it: two cannot own one. */
  begin(id: string, name: string): string | undefined {
    const other = this.#adopting.get(id);
    if (other === undefined) this.#adopting.set(id, name);
    return other;
  }

  failed(id: string): void {
    this.#adopting.delete(id);
  }

  /** @returns the time of the adoption, which tells the new record from older ones. */
  done(id: string): string {
    const adoptedAt = new Date().toISOString();
    this.#staying.set(id, adoptedAt);
    return adoptedAt;
  }

  /** Whether this is a record of a webhook that stays under another one. */
  isOlderRecord(id: string, adoptedAt: string | undefined): boolean {
    return this.#staying.has(id) && this.#staying.get(id) !== adoptedAt;
  }
}
