import { createsFolder, noteOf } from "../journal/place.js";
import type { NotedCreate } from "../journal/sent-creates.js";
import { UNKNOWN } from "../lifecycle/inputs.js";
import type { Properties } from "../lifecycle/run.js";
import type { ParsedSettings } from "../settings/settings.js";
import { normalizeBaseUrl } from "../settings/settings.js";
import type { Declared } from "../stack/hidden-properties.js";
import type { Holder, Past } from "../stack/past.js";
import type { Managed, RecordedStack, Renamed } from "../stack/recorded-stack.js";
import { keyOf } from "../stack/resource-key.js";
import { logicalNameOf } from "../stack/stack-export.js";
import { toDynamicUrns } from "./urn.js";

interface Checked {
  urn: string;
  olds: Properties;
  news: Properties;
}

/** What the stack's state says of the webhooks of one provider, as the program of the dynamic provider says it. */
export class Declarations {
  readonly #stack: RecordedStack | undefined;
  readonly #settings: ParsedSettings;
  /** The engine starts a plugin in the project's folder. */
  readonly #createsFolder = createsFolder(process.cwd());
  /** The URNs under which the engine has found resources that an alias renames: a plugin does not receive the aliases. */
  readonly #earlierUrns = new Map<string, readonly string[]>();

  /** @param stack the stack's state; undefined if it could not be read. */
  constructor(stack: RecordedStack | undefined, settings: ParsedSettings) {
    this.#stack = stack;
    this.#settings = settings;
  }

  /** The noted creates whose outcome is known. */
  get settled(): readonly NotedCreate[] {
    return this.#stack?.settled ?? [];
  }

  /** Describes a resource that check receives. */
  describe({ urn, olds, news }: Checked): Declared {
    const note = noteOf(this.#createsFolder, { urn });
    const declared = { key: keyOf(urn), given: [], note, defaultName: logicalNameOf(urn) };
    const stack = this.#stack;
    if (stack === undefined) return declared;
    // With recorded inputs the engine has found the resource: under this URN, or under the one before the plugin.
    if (Object.keys(olds).length > 0 && !this.#earlierUrns.has(urn)) {
      this.#earlierUrns.set(urn, toDynamicUrns(urn));
    }
    const earlierUrns = this.#earlierUrns.get(urn) ?? [];
    const { interruptedAs } = stack.pastOf({ urn, earlierUrns: [...toDynamicUrns(urn), ...earlierUrns] });
    const twin = this.#findTwin(stack, { urn, earlierUrns, news });
    const recorded = stack.pastOf({ urn, earlierUrns });
    const { isImported, recordedId } = recorded;
    const past: Past = {
      ...recorded,
      ...(isImported &&
        recordedId !== undefined && { holders: this.holdersOf(recordedId, { urn, earlierUrns }) }),
      ...(interruptedAs !== undefined && { interruptedAs }),
      ...(twin !== undefined && { twin }),
    };
    return { ...declared, past };
  }

  /** Returns what the state says of a resource that diff receives, with the id under which the engine has found it. */
  pastOf(urn: string, id: string): Past | undefined {
    const stack = this.#stack;
    if (stack === undefined) return undefined;
    const past = stack.pastOf({ urn, earlierUrns: this.#earlierUrns.get(urn) ?? [] });
    if (past.recordedId === id) return past;
    const earlierUrns = stack.urnsOf(id);
    this.#earlierUrns.set(urn, earlierUrns);
    return stack.pastOf({ urn, earlierUrns });
  }

  /** Returns what the state says of a resource for which the engine imports a webhook: it has found no record of that. */
  pastOfImport(urn: string): Past | undefined {
    return this.#stack?.pastOf({ urn, earlierUrns: toDynamicUrns(urn) });
  }

  /** Returns the other resources of the account that have a webhook. */
  holdersOf(id: string, { urn, earlierUrns = [] }: Renamed): Holder[] {
    const holders = this.#stack?.holdersOf(id, urn) ?? [];
    return holders.filter(
      (holder) => !holder.isOwn && !earlierUrns.includes(holder.urn) && this.#mayBeOfAccount(holder),
    );
  }

  #findTwin(
    stack: RecordedStack,
    { urn, earlierUrns, news }: { urn: string; earlierUrns: readonly string[]; news: Properties },
  ): string | undefined {
    const { url, name = logicalNameOf(urn) } = news;
    if (!stack.hasUnresolved || url === UNKNOWN || name === UNKNOWN) return undefined;
    const twins = stack.twinsOf({ urn, earlierUrns }, { url, name });
    return twins.find((twin) => this.#mayBeOfAccount(twin))?.urn;
  }

  /** Reports whether a webhook may be of the provider's account. The keys of two Providers cannot be compared: the state has them encrypted. */
  #mayBeOfAccount({ provider, baseUrl }: Managed<{ baseUrl?: string | undefined }>): boolean {
    if ("problems" in this.#settings) return true;
    const { settings, guide } = this.#settings;
    const { baseUrl: own, previousBaseUrl = [] } = settings;
    if (provider === guide.provider || baseUrl === undefined) return true;
    return [own, ...previousBaseUrl].includes(normalizeBaseUrl(baseUrl) ?? "");
  }
}
