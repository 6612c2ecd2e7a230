import type { NotedCreate, NotesOfStack } from "../notes/read-notes.js";
import type { Owner, Past } from "../record/past.js";
import { readPast } from "../record/past.js";
import type { Declared } from "../record/properties.js";
import { logicalNameOf } from "../record/urn.js";
import { describeGate } from "./gate-message.js";
import { findProviderName, listOwners } from "./providers.js";
import type { ExportedResource, StackExport } from "./stack-export.js";
import { findCurrentWebhooks, findCutOffChanges } from "./stack-export.js";
import type { UnresolvedCreate } from "./unresolved.js";
import { findNotesToKeep, findUnresolved } from "./unresolved.js";

/** What a stack's state and the notes of this machine hold of webhooks when a run starts. */
export class RecordedStack {
  /** The creates with unknown outcomes. While there is one, an up creates, changes and deletes no webhook of the stack. */
  readonly unresolved: readonly UnresolvedCreate[];
  /** The noted creates whose outcome the state does not show. */
  readonly notesToKeep: readonly NotedCreate[];
  readonly #exported: StackExport;
  readonly #current: ReadonlyMap<string, ExportedResource>;
  readonly #cutOff: ReadonlySet<ExportedResource>;

  /** Why an up may change no webhook of the stack. Undefined if nothing is unresolved. */
  readonly gate: string | undefined;

  /** @param notes what this machine has noted of the stack. */
  constructor(exported: StackExport, { creates = [], isGateOpen = false }: Partial<NotesOfStack> = {}) {
    this.#exported = exported;
    this.#current = findCurrentWebhooks(exported);
    this.#cutOff = new Set(findCutOffChanges(exported));
    this.notesToKeep = findNotesToKeep(exported, creates);
    this.unresolved = isGateOpen ? [] : findUnresolved(exported, creates);
    this.gate = describeGate(this.unresolved);
  }

  /** Reports whether a state is that of a stack. A state without resources is that of any. */
  isOf({ stack, project }: { stack: string; project: string }): boolean {
    const resources = this.#exported.deployment?.resources ?? [];
    return resources.every(({ urn }) => urn.startsWith(`urn:pulumi:${stack}::${project}::`));
  }

  /** Returns what the state and the notes say of a resource. */
  pastOf(urn: string): Past {
    const unresolved = this.unresolved.find((create) => create.urn === urn);
    if (unresolved !== undefined) {
      const { record, pending, note, urn: _, ...past } = unresolved;
      return past;
    }
    const record = this.#current.get(urn);
    if (record?.id === undefined || record.external) return { kind: "new" };
    const { id, outputs = {}, pendingReplacement } = record;
    const provider = findProviderName(this.#exported, record);
    return {
      ...readPast({ id, outputs }),
      ...(provider !== undefined && { provider }),
      ...(this.#cutOff.has(record) && { sendAgain: true }),
      ...(pendingReplacement && { isDeleted: true }),
    };
  }

  /** Describes a resource to check, as far as the stack shows it. @param stack undefined if it could not be read. */
  static describe(
    stack: RecordedStack | undefined,
    urn: string,
  ): Pick<Declared, "past" | "hasCutOffChanges" | "gate"> {
    if (stack === undefined) return { past: { kind: "unread" } };
    return {
      past: stack.pastOf(urn),
      ...(stack.#cutOff.size > 0 && { hasCutOffChanges: true }),
      ...(stack.gate !== undefined && { gate: stack.gate }),
    };
  }

  /** Returns why a program may not read a webhook by `Webhook.get` under a URN. @returns undefined if it may. */
  getProblem(urn: string): string | undefined {
    if (this.pastOf(urn).kind === "new") return undefined;
    return `the stack manages a webhook under the name ${logicalNameOf(urn)}. Pulumi would forget it, and leave it at the API. Call Webhook.get with another name.`;
  }

  /** Reports whether the engine refreshes a webhook before it compares. @returns undefined if the state has no such webhook. */
  isRefreshedBeforeUpdate(urn: string): boolean | undefined {
    const record = this.#current.get(urn);
    return record && record.refreshBeforeUpdate === true;
  }

  /** Lists the records that have an id. */
  ownersOf(id: string): Owner[] {
    return listOwners(this.#exported, id);
  }
}
