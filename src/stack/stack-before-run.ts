import type { NotedCreate, NotesOfStack } from "../notes/read-notes.js";
import { identityOf, isRecordedTwice } from "../record/identity.js";
import { type Past, readPast } from "../record/past.js";
import type { Owner, ResourceContext } from "../record/properties.js";
import { isSameKey, SEEN_BY } from "../record/seen-by.js";
import type { StackName } from "../record/stack-name.js";
import { describeGate } from "./gate-message.js";
import {
  type ExportedResource,
  findCurrentWebhooks,
  findCutOffChanges,
  findWebhooks,
  isKnown,
  type StackExport,
} from "./stack-export.js";
import { findUnresolved, type UnresolvedCreate } from "./unresolved.js";

const NO_NOTES = { creates: [], isGateOpen: false };

/** What a reader knows of a stack beside its state and its notes. */
interface StackFacts {
  name?: StackName;
  /** Why nothing may be changed, whatever is unresolved. */
  refusal?: string;
  /** The base URL of the environment. */
  baseUrl?: string | undefined;
}

/** What a stack's state and the notes of this machine hold of webhooks when a run starts. */
export class StackBeforeRun {
  /** The unresolved creates. While there is one, an up creates, changes and deletes no webhook of the stack. */
  readonly unresolved: readonly UnresolvedCreate[];
  /** Why an up may change no webhook of the stack. Undefined if nothing is unresolved. */
  readonly gate: string | undefined;
  /** The noted creates that this run or a later one must know. */
  readonly openNotes: readonly NotedCreate[];
  readonly #current: ReadonlyMap<string, ExportedResource>;
  /** What waits for its deletion. */
  readonly #obsolete: readonly ExportedResource[];
  readonly #sentAgain: ReadonlySet<ExportedResource>;
  /** The webhooks that exist, by their ids. */
  readonly #byId: ReadonlyMap<string, readonly ExportedResource[]>;

  constructor(
    exported: StackExport,
    notes: Pick<NotesOfStack, "creates" | "isGateOpen"> = NO_NOTES,
    { name, refusal, baseUrl }: StackFacts = {},
  ) {
    const { unresolved, open } = findUnresolved(exported, notes.creates, baseUrl);
    const webhooks = findWebhooks(exported);
    this.#current = findCurrentWebhooks(exported);
    this.#obsolete = webhooks.filter((record) => record.delete);
    this.#sentAgain = new Set(findCutOffChanges(exported));
    this.#byId = Map.groupBy(webhooks.filter(isKnown), ({ id }) => id);
    this.openNotes = open;
    this.unresolved = notes.isGateOpen ? [] : unresolved;
    this.gate = refusal ?? describeGate(this.unresolved, name);
  }

  pastOf(urn: string): Past {
    if (this.unresolved.some((create) => create.urn === urn)) return { kind: "unresolved" };
    const record = this.#current.get(urn);
    if (record?.id === undefined) return { kind: "new" };
    const { id, outputs = {}, pendingReplacement } = record;
    const read = readPast(id, outputs);
    if (read.kind === "unresolved") return read;
    const obsolete = this.#obsolete.filter((old) => old.urn === urn && old.provider === record.provider);
    const twin = this.#twinOf(record);
    const past = {
      ...read,
      ...(twin !== undefined && { twin }),
      ...(obsolete.length > 0 && { obsolete: obsolete.flatMap((old) => old.id ?? []) }),
    };
    if (pendingReplacement) return { ...past, condition: "deleted" };
    return this.#sentAgain.has(record) ? { condition: "sent again", ...past } : past;
  }

  /** Describes a resource to check. @param isPreview a preview passes no gate: it only warns. */
  describe(urn: string, isPreview = false): Pick<ResourceContext, "past" | "gate"> {
    return {
      past: this.pastOf(urn),
      ...(this.gate !== undefined && !isPreview && { gate: this.gate }),
    };
  }

  /** Finds another record of the stack that is the same webhook: the removal of either would delete it. */
  #twinOf({ urn, id = "", outputs = {} }: ExportedResource): string | undefined {
    const own = identityOf(id, outputs);
    const key = outputs[SEEN_BY];
    const isTwin = ({ urn: another, outputs: others = {} }: ExportedResource) => {
      const mark = others[SEEN_BY];
      const isOfOneKey = typeof key === "string" && typeof mark === "string" && isSameKey(key, mark);
      return another !== urn && isRecordedTwice(own, identityOf(id, others), isOfOneKey);
    };
    return this.#byId.get(id)?.find(isTwin)?.urn;
  }

  /** Lists who has an id. */
  ownersOf(id: string): Owner[] {
    const records = this.#byId.get(id) ?? [];
    return records.map(({ urn, outputs: { baseUrl } = {} }) => ({
      urn,
      ...(typeof baseUrl === "string" && { baseUrl }),
    }));
  }
}
