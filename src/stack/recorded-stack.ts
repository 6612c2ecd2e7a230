import type { NotedCreate, NotesOfStack } from "../notes/noted-creates.js";
import { describeGate } from "./gate.js";
import { NO_WEBHOOK } from "./in-doubt.js";
import type { Past } from "./past.js";
import { readPast } from "./past.js";
import type { ExportedResource, StackExport } from "./stack-export.js";
import {
  findCurrentWebhooks,
  findCutOffChanges,
  findHolders,
  findProviderName,
  logicalNameOf,
} from "./stack-export.js";
import type { UnresolvedCreate } from "./unresolved.js";
import { findNotesToKeep, findUnresolved } from "./unresolved.js";

/** What a stack's state and the notes of this machine hold of webhooks when a run starts. */
export class RecordedStack {
  /** The creates with unknown outcomes. While there is one, an up creates, changes and deletes no webhook of the stack. */
  readonly unresolved: readonly UnresolvedCreate[];
  /** The noted creates of which the state does not show what became. */
  readonly notesToKeep: readonly NotedCreate[];
  readonly #exported: StackExport;
  readonly #current: ReadonlyMap<string, ExportedResource>;
  readonly #cutOff: ReadonlySet<ExportedResource>;
  /** The Provider of each webhook whose id no update has confirmed. */
  readonly #unconfirmed: readonly (string | undefined)[];

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
    const pasts = [...this.#current.keys()].map((urn) => this.pastOf(urn));
    this.#unconfirmed = pasts.flatMap((past) => (past.kind === "unconfirmed" ? [past.provider] : []));
  }

  /** Reports whether a state is that of a stack. A state without resources is that of any. */
  isOf({ stack, project }: { stack: string; project: string }): boolean {
    const resources = this.#exported.deployment?.resources ?? [];
    return resources.every(({ urn }) => urn.startsWith(`urn:pulumi:${stack}::${project}::`));
  }

  /** Returns what the state says of a resource. */
  pastOf(urn: string): Past {
    const record = this.#current.get(urn);
    if (record?.id === undefined || record.external || record.id === NO_WEBHOOK) {
      return { kind: "new", ...(this.#cutOff.size > 0 && { sendAgain: true }) };
    }
    const { id, outputs = {}, pendingReplacement } = record;
    const past = readPast({ id, outputs });
    const provider = findProviderName(this.#exported, record);
    return {
      ...past,
      ...(provider !== undefined && { provider }),
      ...(past.kind === "known" && this.#cutOff.has(record) && { sendAgain: true }),
      ...(past.kind === "known" && pendingReplacement && { isDeleted: true }),
    };
  }

  /** Returns why a program may not read a webhook by `Webhook.get` under a URN. @returns undefined if it may. */
  getProblem(urn: string): string | undefined {
    if (this.pastOf(urn).kind === "new") return undefined;
    return `the stack manages a webhook under the name ${logicalNameOf(urn)}. Pulumi would forget it, and leave it at the API. Call Webhook.get with another name.`;
  }

  /** Returns the URN of another resource of the same Provider that has a webhook. */
  holderOf(id: string, { urn, provider }: { urn: string; provider: string | undefined }): string | undefined {
    const other = findHolders(this.#exported, id).find(
      (record) => record.urn !== urn && findProviderName(this.#exported, record) === provider,
    );
    return other?.urn;
  }

  /** Reports whether the engine refreshes a webhook before it compares. @returns undefined if the state has no such webhook. */
  isRefreshedBeforeUpdate(urn: string): boolean | undefined {
    const record = this.#current.get(urn);
    return record && record.refreshBeforeUpdate === true;
  }

  /** Counts the webhooks of a Provider whose ids no update has confirmed. */
  countUnconfirmed(provider: string | undefined): number {
    return this.#unconfirmed.filter((name) => name === provider).length;
  }
}
