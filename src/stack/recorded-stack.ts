import type { NotedCreate } from "../journal/sent-creates.js";
import { shortHash } from "../journal/short-hash.js";
import { parseHttpUrl, toBaseUrl } from "../settings/http-url.js";
import { isInDoubt } from "./in-doubt.js";
import type { Holder, InterruptedCreate, Past } from "./past.js";
import type { ExportedResource, InterruptedRecord, StackExport } from "./stack-export.js";
import {
  findCurrentWebhooks,
  findHolders,
  findInterruptedChanges,
  findInterruptedCreates,
  findSettings,
  findWebhooks,
  isUnresolved,
  logicalNameOf,
  providerNameOf,
} from "./stack-export.js";
import { isUnconfirmedImport } from "./unconfirmed-import.js";

/** A resource, and the URNs that it had before, by its aliases. */
export interface Renamed {
  urn: string;
  earlierUrns?: readonly string[];
}

/** What a new webhook sends. */
interface Sent {
  url: unknown;
  name: unknown;
}

/** A recorded webhook with the name of the Provider that manages it. The default one has none. */
export type Managed<Value> = Value & { provider: string | undefined };

/** What a stack's state holds when a run starts: the webhooks, and the operations during which an earlier run was killed. */
export class RecordedStack {
  /** The noted creates whose outcome is known. */
  readonly settled: readonly NotedCreate[];
  readonly #exported: StackExport;
  readonly #current: ReadonlyMap<string, ExportedResource>;
  readonly #interrupted: ReadonlyMap<string, InterruptedRecord>;
  readonly #interruptedChanges: ReadonlySet<string>;
  /** The webhooks whose create has an unknown outcome. */
  readonly #unresolved: readonly InterruptedRecord[];
  /** When the engine last saved the state. */
  readonly #savedAt: string;

  /** @param noted the creates of the stack that the journal of this machine holds. */
  constructor(exported: StackExport, noted: readonly NotedCreate[] = []) {
    this.#exported = exported;
    this.#current = findCurrentWebhooks(exported);
    this.#interrupted = findInterruptedCreates(exported, noted);
    this.settled = noted.filter((create) => {
      const { id = "", outputs } = this.#current.get(create.urn) ?? {};
      // It helps a person who resolves the webhook.
      const isOpen = isInDoubt(id) || outputs?.inDoubtId !== undefined;
      return !isOpen && this.#interrupted.get(create.urn)?.noted !== create;
    });
    this.#interruptedChanges = findInterruptedChanges(exported);
    const inDoubt = [...this.#current.values()].filter(
      ({ id = "", pendingReplacement }) => isInDoubt(id) && !pendingReplacement,
    );
    this.#unresolved = [...inDoubt, ...this.#interrupted.values()];
    this.#savedAt = exported.deployment?.manifest?.time ?? new Date().toISOString();
  }

  /**
   * Returns the creates of webhooks of a type during which a run was killed, with the name that each one sent, as far as
   * that is known, else its resource's, and with the id in its reply, if the journal has one.
   */
  interruptedOf(type: string): Managed<{ name: string; id: string | undefined }>[] {
    const creates = [...this.#interrupted.values()].filter((create) => create.type === type);
    return creates.map((create) => {
      const { name = logicalNameOf(create.urn), noted } = this.#toInterrupted(create);
      return { name, id: noted?.reply?.id, provider: this.#providerOf(create) };
    });
  }

  /** Returns the URNs that have a webhook now. */
  urnsOf(id: string): string[] {
    return [...this.#current.values()].filter((record) => record.id === id).map(({ urn }) => urn);
  }

  /** Reports whether a state is that of a stack. A state without resources is that of any. */
  isOf({ stack, project }: { stack: string; project: string }): boolean {
    const resources = this.#exported.deployment?.resources ?? [];
    return resources.every(({ urn }) => urn.startsWith(`urn:pulumi:${stack}::${project}::`));
  }

  /** Reports whether what concerns a resource may be recorded under a URN that it had before. */
  mayBeRenamed(urn: string): boolean {
    return this.#interrupted.size > 0 || (this.#current.size > 0 && !this.#current.has(urn));
  }

  /** Returns what concerns one resource, without its holders and its twin, which depend on what the program declares. */
  pastOf({ urn, earlierUrns = [] }: Renamed): Omit<Past, "holders" | "twin"> {
    const create = this.#interrupted.get(urn);
    const recordedUrn = this.#recordedUrn({ urn, earlierUrns });
    const current = this.#current.get(recordedUrn);
    const interruptedAs = earlierUrns.find((earlier) => this.#isInterruptedAs(earlier, urn));
    const manager = create ?? current;
    const hasInterruptedChange = [urn, recordedUrn].some((one) => this.#interruptedChanges.has(one));
    return {
      ...(current !== undefined && this.#toPast(current)),
      ...(manager !== undefined && { provider: nameOf(this.#providerOf(manager)) }),
      ...(create !== undefined && { interrupted: this.#toInterrupted(create) }),
      ...(interruptedAs !== undefined && { interruptedAs }),
      ...(this.#interrupted.size > 0 && { hasInterruptedStack: true as const }),
      ...(this.hasUnresolved && { hasUnresolvedStack: true as const }),
      ...(hasInterruptedChange && { hasInterruptedChange: true as const }),
    };
  }

  /** Returns the resources that have a webhook, or whose interrupted create made it, for the one that imports it. */
  holdersOf(id: string, urn: string): Managed<Holder>[] {
    const created = [...this.#interrupted.values()].filter(
      (create) => create.noted?.reply?.id === id && create.urn !== urn,
    );
    return [...findHolders(this.#exported, id), ...created].map((record) => ({
      urn: record.urn,
      isOwn: record.urn === urn,
      provider: this.#providerOf(record),
      ...textOf("baseUrl", { ...this.#toInterrupted(record), ...record.outputs }),
    }));
  }

  /** Reports whether the create of any webhook has an unknown outcome. */
  get hasUnresolved(): boolean {
    return this.#unresolved.length > 0;
  }

  /**
   * Returns the other webhooks whose create has an unknown outcome, and that may be a new one under an earlier name. A
   * secret may have any value.
   */
  twinsOf(
    { urn, earlierUrns = [] }: Renamed,
    { url, name }: Sent,
  ): Managed<{ urn: string; baseUrl?: string }>[] {
    const recordedUrn = this.#recordedUrn({ urn, earlierUrns });
    return this.#unresolved
      .filter((other) => other.urn !== urn && other.urn !== recordedUrn)
      .filter(({ noted }) => noted?.url === undefined || noted.url === shortHash(String(url)))
      .filter((other) => {
        const sent = other.outputs ?? other.inputs ?? {};
        const { url: sentUrl = url, name: sentName = name } = {
          ...textOf("url", sent),
          ...textOf("name", sent),
        };
        // The default name changes along with the resource's.
        const haveDefaultNames = sentName === logicalNameOf(other.urn) && name === logicalNameOf(urn);
        return sentUrl === url && (sentName === name || haveDefaultNames);
      })
      .map((other) => ({
        urn: other.urn,
        provider: this.#providerOf(other),
        ...textOf("baseUrl", { ...this.#toInterrupted(other), ...other.outputs }),
      }));
  }

  #recordedUrn({ urn, earlierUrns = [] }: Renamed): string {
    return [urn, ...earlierUrns].find((one) => this.#current.has(one)) ?? urn;
  }

  /** Reports whether a create is unresolved under an earlier URN. A resource that was renamed since has its record under the new one. */
  #isInterruptedAs(earlier: string, urn: string): boolean {
    const create = this.#interrupted.get(earlier);
    return create !== undefined && isUnresolved(create, this.#current.get(earlier) ?? this.#current.get(urn));
  }

  #toPast(record: ExportedResource): Past {
    const { urn, id, outputs, provider, pendingReplacement } = record;
    if (id === undefined) return {};
    const isShared = findHolders(this.#exported, id).some(
      (other) => other.urn !== urn && !other.delete && other.provider === provider,
    );
    const allReplacedIds = findWebhooks(this.#exported)
      .filter((record) => record.urn === urn && record.delete)
      .map((record) => record.id ?? "");
    const replacedIds = allReplacedIds.filter((replacedId) => !isInDoubt(replacedId));
    const isImported = isUnconfirmedImport(outputs);
    // An import may have taken the place of one in doubt.
    const isOpen =
      isInDoubt(id) || outputs?.inDoubtId !== undefined || (isImported && allReplacedIds.some(isInDoubt));
    return {
      recordedId: id,
      ...(replacedIds.length > 0 && { replacedIds }),
      ...(isOpen && { isInDoubt: true }),
      ...(outputs?.unconfirmedCreate === true && { isUnconfirmed: true }),
      ...(isShared && { isShared: true }),
      ...(pendingReplacement && { isDeleted: true }),
      ...(isImported && { isImported: true }),
    };
  }

  /**
   * Reads the name of the explicit Provider that manages a resource. The default one has none.
   *
   * The Providers of earlier versions record no name, and the provider of an interrupted create may have left the state.
   * Then the reference shows it, which is `<urn>::<id>`.
   */
  #providerOf(resource: InterruptedRecord): string | undefined {
    if (resource.noted !== undefined) return resource.noted.provider;
    const name = findSettings(this.#exported, resource)?.["webhooks:explicitProvider"];
    if (typeof name === "string") return name;
    return providerNameOf((resource.provider ?? "").split("::").slice(0, -1).join("::"));
  }

  #toInterrupted(create: InterruptedRecord): InterruptedCreate {
    const { inputs = {}, noted } = create;
    const { enabled } = inputs;
    const baseUrl = findSettings(this.#exported, create)?.["webhooks:baseUrl"];
    const url = typeof baseUrl === "string" ? parseHttpUrl(baseUrl.trim()) : undefined;
    return {
      at: noted?.sentAt ?? this.#savedAt,
      ...(noted !== undefined && { noted: toNoted(noted, create) }),
      ...textOf("url", inputs),
      ...textOf("name", inputs),
      ...(typeof enabled === "boolean" && { enabled }),
      ...(url !== undefined && { baseUrl: toBaseUrl(url) }),
    };
  }
}

/** Returns what the provider needs to finish a create. */
function toNoted(
  { account, secret, reply }: NotedCreate,
  { inputs }: ExportedResource,
): NonNullable<InterruptedCreate["noted"]> {
  return { account, secret, ...(reply && { reply }), ...(inputs && { isPending: true }) };
}

const nameOf = (provider: string | undefined) => (provider === undefined ? {} : { name: provider });

/** Returns a property if it is a text. A secret is not. */
function textOf<Key extends string>(
  key: Key,
  properties: Record<string, unknown>,
): { [Name in Key]?: string } {
  const value = properties[key];
  return typeof value === "string" ? ({ [key]: value } as { [Name in Key]: string }) : {};
}
