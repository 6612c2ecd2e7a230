import { isInDoubt } from "./in-doubt.js";
import type { InterruptedCreate, RecordedFacts } from "./recorded-facts.js";
import type { ExportedResource, StackExport } from "./stack-export.js";
import { findCurrentWebhooks, findInterruptedCreates, findWebhooks } from "./stack-export.js";

/** What a stack's state holds when a program starts: the webhooks, and the creates during which an engine was killed. */
export class RecordedStack {
  readonly #current: ReadonlyMap<string, ExportedResource>;
  readonly #interrupted: ReadonlyMap<string, ExportedResource>;
  readonly #byId = new Map<string, ExportedResource[]>();
  readonly #unresolved: readonly ExportedResource[];
  /** When the engine last saved the state. */
  readonly #savedAt: string;

  constructor(exported: StackExport) {
    this.#current = findCurrentWebhooks(exported);
    this.#interrupted = findInterruptedCreates(exported);
    for (const record of findWebhooks(exported)) {
      const { id = "" } = record;
      const others = this.#byId.get(id);
      if (others === undefined) this.#byId.set(id, [record]);
      else others.push(record);
    }
    const inDoubt = [...this.#current.values()].filter(
      ({ id = "", pendingReplacement }) => isInDoubt(id) && !pendingReplacement,
    );
    this.#unresolved = [...inDoubt, ...this.#interrupted.values()];
    this.#savedAt = exported.deployment?.manifest?.time ?? new Date().toISOString();
  }

  /** Returns what concerns one resource, by its URN. */
  factsFor(urn: string): Omit<RecordedFacts, "holders"> {
    const create = this.#interrupted.get(urn);
    const own = this.#unresolved.findLast((one) => one.urn === urn);
    const unresolved = this.#unresolved.filter((other) => other.urn !== urn).map(toUnresolved);
    return {
      ...(create !== undefined && { interrupted: { at: this.#savedAt, ...toSent(create.inputs) } }),
      ...(own !== undefined && { unresolvedWith: toProvider(own) }),
      ...(unresolved.length > 0 && { unresolved }),
    };
  }

  /** Returns the records of a webhook, for the resource that imports it. */
  holdersOf(id: string, urn: string): NonNullable<RecordedFacts["holders"]> {
    return (this.#byId.get(id) ?? []).map((record) => ({
      urn: record.urn,
      isOwn: record.urn === urn,
      ...textOf("baseUrl", record.outputs ?? {}),
    }));
  }
}

/** Reads the name of an explicit Provider from a reference, which is `<urn>::<id>`. A default one has none. */
function toProvider({ provider = "" }: ExportedResource): { provider?: string } {
  const name = provider.split("::").slice(3, -1).join("::");
  return /^(?:default(?:_.*)?)?$/.test(name) ? {} : { provider: name };
}

function toUnresolved({ urn, inputs, outputs }: ExportedResource) {
  const sent = outputs ?? inputs ?? {};
  return { urn, ...textOf("url", sent), ...textOf("name", sent) };
}

function toSent(inputs: Record<string, unknown> = {}): Omit<InterruptedCreate, "at"> {
  const { enabled } = inputs;
  return {
    ...textOf("url", inputs),
    ...textOf("name", inputs),
    ...(typeof enabled === "boolean" && { enabled }),
  };
}

/** Returns a property if it is a text. A secret is not. */
function textOf<Key extends string>(
  key: Key,
  properties: Record<string, unknown>,
): { [Name in Key]?: string } {
  const value = properties[key];
  return typeof value === "string" ? ({ [key]: value } as { [Name in Key]: string }) : {};
}
