import { parseHttpUrl, toBaseUrl } from "../settings/http-url.js";
import { isInDoubt } from "./in-doubt.js";
import type { InterruptedCreate, RecordedFacts, UnresolvedWebhook } from "./recorded-facts.js";
import type { ExportedResource, StackExport } from "./stack-export.js";
import {
  findCurrentWebhooks,
  findHolders,
  findInterruptedCreates,
  findProviderInputs,
  findWebhooks,
  isUnresolved,
  logicalNameOf,
} from "./stack-export.js";

/** What a stack's state holds when a program starts: the webhooks, and the creates during which an engine was killed. */
export class RecordedStack {
  readonly #exported: StackExport;
  readonly #current: ReadonlyMap<string, ExportedResource>;
  readonly #interrupted: ReadonlyMap<string, ExportedResource>;
  readonly #unresolved: readonly ExportedResource[];
  /** When the engine last saved the state. */
  readonly #savedAt: string;

  constructor(exported: StackExport) {
    this.#exported = exported;
    this.#current = findCurrentWebhooks(exported);
    this.#interrupted = findInterruptedCreates(exported);
    const inDoubt = [...this.#current.values()].filter(
      ({ id = "", pendingReplacement }) => isInDoubt(id) && !pendingReplacement,
    );
    this.#unresolved = [...inDoubt, ...this.#interrupted.values()];
    this.#savedAt = exported.deployment?.manifest?.time ?? new Date().toISOString();
  }

  /** The creates during which an engine was killed, with the name that each one sent or, if that is a secret, its resource's. */
  get interrupted(): { name: string; at: string }[] {
    return [...this.#interrupted.values()].map((create) => {
      const { name = logicalNameOf(create.urn), at } = this.#toInterrupted(create);
      return { name, at };
    });
  }

  /** Reports whether what concerns a resource may be recorded under a URN that it had before. */
  mayBeRenamed(urn: string): boolean {
    return this.#interrupted.size > 0 || (this.#current.size > 0 && !this.#current.has(urn));
  }

  /**
   * Returns what concerns one resource.
   *
   * @param earlierUrns the URNs that it had before, by its aliases.
   */
  factsFor(urn: string, earlierUrns: readonly string[] = []): Omit<RecordedFacts, "holders"> {
    const create = this.#interrupted.get(urn);
    const recordedUrn = [urn, ...earlierUrns].find((one) => this.#current.has(one)) ?? urn;
    const current = this.#current.get(recordedUrn);
    const unverified = current?.outputs?.inDoubtId === undefined ? undefined : current;
    const isOwn = (one: ExportedResource) => one.urn === urn || one.urn === recordedUrn;
    const own = this.#unresolved.findLast(isOwn) ?? unverified;
    const interruptedAs = earlierUrns.find((earlier) => this.#isInterruptedAs(earlier, urn));
    const unresolved = this.#unresolved.filter((other) => !isOwn(other)).map(toUnresolved);
    return {
      ...(create !== undefined && { interrupted: this.#toInterrupted(create) }),
      ...(interruptedAs !== undefined && { interruptedAs }),
      ...(own !== undefined && { unresolvedWith: this.#providerOf(own) }),
      ...this.#idsOf(recordedUrn),
      ...(unresolved.length > 0 && { unresolved, logicalName: logicalNameOf(urn) }),
    };
  }

  /** Returns the records of a webhook, for the resource that imports it. */
  holdersOf(id: string, urn: string): NonNullable<RecordedFacts["holders"]> {
    return findHolders(this.#exported, id).map((record) => ({
      urn: record.urn,
      isOwn: record.urn === urn,
      ...textOf("baseUrl", record.outputs ?? {}),
    }));
  }

  /** Reports whether a create is unresolved under an earlier URN. A resource that was renamed since has its record under the new one. */
  #isInterruptedAs(earlier: string, urn: string): boolean {
    const create = this.#interrupted.get(earlier);
    return create !== undefined && isUnresolved(create, this.#current.get(earlier) ?? this.#current.get(urn));
  }

  /**
   * Finds the resource's id and those that it replaces, while it is unknown whether the new webhook exists, or if it got
   * the same id.
   */
  #idsOf(urn: string): Pick<RecordedFacts, "recordedId" | "replacedIds"> {
    const { id, outputs } = this.#current.get(urn) ?? {};
    if (id === undefined) return {};
    const records = findWebhooks(this.#exported).filter((record) => record.urn === urn && record.delete);
    const isUncertain = isInDoubt(id) || outputs?.inDoubtId !== undefined;
    const ids = records
      .map((record) => record.id ?? "")
      .filter((replacedId) => (isUncertain ? !isInDoubt(replacedId) : replacedId === id));
    return { recordedId: id, ...(ids.length > 0 && { replacedIds: ids }) };
  }

  /** Reads the name of the explicit Provider that manages a resource. The default one has none. */
  #providerOf(resource: ExportedResource): { provider?: string } {
    const inputs = findProviderInputs(this.#exported, resource);
    // The provider of an interrupted create may have left the state. Its reference is `<urn>::<id>`.
    const { provider = "" } = resource;
    const reference = provider.split("::").slice(3, -1).join("::");
    const referenced = /^(?:default(?:_.*)?)?$/.test(reference) ? undefined : reference;
    const name = inputs === undefined ? referenced : inputs["webhooks:explicitProvider"];
    return typeof name === "string" ? { provider: name } : {};
  }

  #toInterrupted(create: ExportedResource): InterruptedCreate {
    const { inputs = {} } = create;
    const { enabled } = inputs;
    const baseUrl = findProviderInputs(this.#exported, create)?.["webhooks:baseUrl"];
    const url = typeof baseUrl === "string" ? parseHttpUrl(baseUrl.trim()) : undefined;
    return {
      at: this.#savedAt,
      ...textOf("url", inputs),
      ...textOf("name", inputs),
      ...(typeof enabled === "boolean" && { enabled }),
      ...(url !== undefined && { baseUrl: toBaseUrl(url) }),
    };
  }
}

function toUnresolved({ urn, inputs, outputs }: ExportedResource): UnresolvedWebhook {
  const sent = outputs ?? inputs ?? {};
  return { urn, logicalName: logicalNameOf(urn), ...textOf("url", sent), ...textOf("name", sent) };
}

/** Returns a property if it is a text. A secret is not. */
function textOf<Key extends string>(
  key: Key,
  properties: Record<string, unknown>,
): { [Name in Key]?: string } {
  const value = properties[key];
  return typeof value === "string" ? ({ [key]: value } as { [Name in Key]: string }) : {};
}
