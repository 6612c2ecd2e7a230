import type { ExportedResource } from "../../../src/stack/stack-export.js";
import { recordsIn } from "./records.js";
import { type State, tick } from "./state.js";

/** The deployment of a stack, as a run of the engine changes it. */
export class Deployment {
  readonly #state: State;
  readonly #own = new Set<object>();

  constructor(state: State) {
    this.#state = state;
  }

  get #deployment() {
    return this.#state.stack.deployment;
  }

  get webhooks(): ExportedResource[] {
    return recordsIn(this.#state);
  }

  current(urn: string | undefined): ExportedResource | undefined {
    return this.webhooks.find((record) => record.urn === urn && !record.delete);
  }

  add(record: ExportedResource): void {
    this.#deployment.resources.push(record);
  }

  remove(old: ExportedResource): void {
    this.#deployment.resources = this.#deployment.resources.filter((record) => record !== old);
  }

  rename(before: string, { urn, aliases }: Pick<ExportedResource, "urn" | "aliases">): void {
    if (before === urn) return;
    for (const one of this.webhooks) if (one.urn === before) Object.assign(one, { urn, aliases });
  }

  /** Begins an operation. @returns what ends it. */
  begin(type: string, resource: ExportedResource): () => void {
    const operation = { type, resource };
    this.#own.add(operation);
    this.#deployment.pending_operations.unshift(operation);
    this.save();
    return () => this.#keepPending((other) => other !== operation);
  }

  /** Saves the state. The engine keeps the pending creates of earlier runs, and no other operations. */
  save(): void {
    resolveAliases(this.#deployment.resources);
    requireIntegrity(this.#deployment.resources);
    this.#deployment.manifest.time = tick(this.#state);
    this.#keepPending((operation) => operation.type === "creating" || this.#own.has(operation));
  }

  #keepPending(isKept: (operation: { type: string }) => boolean): void {
    this.#deployment.pending_operations = this.#deployment.pending_operations.filter(isKept);
  }
}

/** Checks what Pulumi checks of a state: all but one of the records of a URN wait for their deletion. @throws Error if not. */
export function requireIntegrity(resources: readonly ExportedResource[]): void {
  const current = resources.filter((record) => !record.delete).map(({ urn }) => urn);
  const twice = current.find((urn, index) => current.indexOf(urn) !== index);
  if (twice !== undefined) throw new Error(`snapshot integrity failure: duplicate resource ${twice}`);
}

/** Gives each record that another one names in its aliases the URN of that, as the engine does before it saves. */
function resolveAliases(resources: readonly ExportedResource[]): void {
  const names = new Map(resources.flatMap(({ urn, aliases = [] }) => aliases.map((alias) => [alias, urn])));
  for (const record of resources) {
    record.urn = names.get(record.urn) ?? record.urn;
    delete record.aliases;
  }
}
