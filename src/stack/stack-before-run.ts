import type { NotesFile, NotesOfStack } from "../notes/read-notes.js";
import type { KeptNotes } from "../notes/remove-notes.js";
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
  findKnownWebhooks,
  findWebhooks,
  isKnown,
  type StackExport,
} from "./stack-export.js";
import { findUnresolved, type UnresolvedCreate } from "./unresolved.js";

const NO_NOTES: NotesOfStack = { creates: [], isGateOpen: false, files: [] };

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
  /** Whether a run was killed that may have been changing known webhooks. */
  readonly hasCutOffChanges: boolean;
  /** Why an up may change no webhook of the stack. Undefined if nothing is unresolved. */
  readonly gate: string | undefined;
  /** The notes that this run or a later one needs. */
  readonly notesToKeep: KeptNotes;
  readonly #current: ReadonlyMap<string, ExportedResource>;
  /** What waits for its deletion. */
  readonly #obsolete: readonly ExportedResource[];
  readonly #sentAgain: ReadonlySet<ExportedResource>;
  /** The webhooks that exist, by their ids. */
  readonly #byId: ReadonlyMap<string, readonly ExportedResource[]>;

  constructor(
    exported: StackExport,
    notes: NotesOfStack = NO_NOTES,
    { name, refusal, baseUrl }: StackFacts = {},
  ) {
    const { unresolved, open } = findUnresolved(exported, notes.creates, baseUrl);
    const killed = findKilledRuns(exported, notes.files);
    const webhooks = findWebhooks(exported);
    this.#current = findCurrentWebhooks(exported);
    this.#obsolete = webhooks.filter((record) => record.delete);
    // The notes do not show which it was changing.
    const sentAgain = killed.length > 0 ? findKnownWebhooks(exported) : findCutOffChanges(exported);
    this.#sentAgain = new Set(sentAgain);
    this.#byId = Map.groupBy(webhooks.filter(isKnown), ({ id }) => id);
    this.hasCutOffChanges = sentAgain.length > 0;
    this.notesToKeep = { creates: open, files: killed };
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
  describe(urn: string, isPreview = false): Pick<ResourceContext, "past" | "hasCutOffChanges" | "gate"> {
    return {
      past: this.pastOf(urn),
      ...(this.hasCutOffChanges && { hasCutOffChanges: true }),
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

/**
 * Finds the note files of killed providers for which the state has a webhook that has not changed since: an update or a delete of it
 * may have been cut off, and the state shows nothing of it.
 */
function findKilledRuns(exported: StackExport, files: readonly NotesFile[]): NotesFile[] {
  const changes = findKnownWebhooks(exported).map(({ created = "", modified = created }) => modified);
  return files.filter(
    ({ writer, beganAt }) =>
      writer === "killed" &&
      beganAt !== undefined &&
      changes.some((changedAt) => !(Date.parse(changedAt) > Date.parse(beganAt))),
  );
}
