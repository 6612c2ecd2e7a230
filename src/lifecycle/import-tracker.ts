import type { dynamic } from "@pulumi/pulumi";

type Properties = Record<string, unknown>;

/**
 * Tracks the imports of one provider process.
 *
 * The engine passes a provider neither the name of a resource nor the next operation, so the meaning of a delete follows
 * from what came before it: the id may be one that this run imports, and a record in doubt may be resolved by an import.
 */
export class ImportTracker {
  /** The ids that the program declares to import. */
  readonly #declared = new Set<string>();
  /** The ids that were imported or are being imported, and the names of their webhooks. */
  readonly #imported = new Map<string, string>();
  /** The inputs of the resources that import a webhook in place of one in doubt, by its id in doubt. */
  readonly #resolutions = new Map<string, Properties>();
  /** The results of imports that came before the engine's create. */
  readonly #results = new Map<string, dynamic.CreateResult<Properties>>();

  /** Notes that the program declares to import a webhook. */
  declare(id: string): void {
    this.#declared.add(id);
  }

  isDeclared(id: string): boolean {
    return this.#declared.has(id);
  }

  /** Starts an import. */
  start(id: string, name: string): void {
    this.#imported.set(id, name);
  }

  /** Notes that an import failed. */
  fail(id: string): void {
    this.#imported.delete(id);
  }

  /** Returns the name of the webhook that was imported, or is being imported, under this id. */
  importerOf(id: string): string | undefined {
    return this.#imported.get(id);
  }

  isImported(id: string): boolean {
    return this.#imported.has(id);
  }

  /** Notes that a resource, with these inputs, imports a webhook in place of one in doubt. */
  resolve(inDoubtId: string, inputs: Properties): void {
    this.#resolutions.set(inDoubtId, inputs);
  }

  /** Returns the inputs of the resource that imports a webhook in place of one in doubt. */
  resolutionOf(inDoubtId: string): Properties | undefined {
    return this.#resolutions.get(inDoubtId);
  }

  /** Keeps the result of an import for the engine's create, which comes later. */
  keep(result: dynamic.CreateResult<Properties>): void {
    this.#results.set(result.id, result);
  }

  /** Returns the result of an import that came before, once. */
  take(id: string): dynamic.CreateResult<Properties> | undefined {
    const result = this.#results.get(id);
    this.#results.delete(id);
    return result;
  }
}
