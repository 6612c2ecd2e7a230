/** What the provider keeps of a create that may have taken effect. */
export interface DoubtfulCreate {
  sentAt: Date;
  /** Why its outcome is unknown, as a sentence. */
  reason: string;
}

type Properties = Record<string, unknown>;

/**
 * Tracks the creates of one provider process that failed and may have taken effect, and the webhooks that they replace.
 *
 * The engine may repeat a create in the same run: an error hook of the program can ask for it. And with the option
 * `--continue-on-error` it deletes a replaced webhook although its replacement failed. It passes a provider no URN, so a
 * create is recognized by its inputs.
 */
export class DoubtTracker {
  readonly #creates = new Map<string, DoubtfulCreate>();
  /** The keys of the inputs that recorded webhooks have now, by their ids. */
  readonly #declared = new Map<string, string>();
  /** The webhooks that earlier runs replaced, by their ids, while it is unknown whether their replacements exist. */
  readonly #needed = new Map<string, { key: string; replacementId: string }>();

  /** Notes a create that may have taken effect. */
  add(inputs: Properties, create: DoubtfulCreate): void {
    this.#creates.set(keyOf(inputs), create);
  }

  /** Returns the earlier create of this run with the same inputs, if it may have taken effect. */
  find(inputs: Properties): DoubtfulCreate | undefined {
    return this.#creates.get(keyOf(inputs));
  }

  /** Notes that the program declares a recorded webhook with these inputs. They may replace it. */
  declare(id: string, inputs: Properties): void {
    this.#declared.set(id, keyOf(inputs));
  }

  /** Notes webhooks that an earlier run replaced by the one with these inputs, which is unresolved. */
  keep(ids: readonly string[], replacement: { id: string; inputs: Properties }): void {
    const { id: replacementId, inputs } = replacement;
    for (const id of ids) this.#needed.set(id, { key: keyOf(inputs), replacementId });
  }

  /** Notes that a webhook is as declared: it was created or imported with these inputs, or updated under this id. */
  resolve({ id, inputs }: { id: string; inputs: Properties }): void {
    for (const [neededId, { key, replacementId }] of this.#needed) {
      if (replacementId === id || key === keyOf(inputs)) this.#needed.delete(neededId);
    }
  }

  /** Reports whether a webhook must not be deleted, because its replacement may not exist. */
  isNeeded(id: string): boolean {
    return this.#needed.has(id) || this.#creates.has(this.#declared.get(id) ?? "");
  }
}

function keyOf({ url, name, enabled, secret }: Properties): string {
  return JSON.stringify([url, name, enabled, secret]);
}
