import { hasFailedAs } from "../errors.js";
import { isInDoubt } from "../stack/in-doubt.js";
import { importWebhook } from "./import.js";
import { parseInputs } from "./inputs.js";
import { unreadableStateError } from "./messages/changes.js";
import * as messages from "./messages/deletes.js";
import * as inDoubt from "./messages/in-doubt.js";
import { label } from "./messages/label.js";
import type { Properties, Resource } from "./run.js";
import { secretsOf } from "./secrets.js";
import type { Session } from "./session.js";
import type { State } from "./state.js";
import { parseState } from "./state.js";

/** What to do about a webhook that the engine asks to delete. */
export type DeleteDecision =
  /** Delete the webhook. */
  | { kind: "send" }
  /** Let its entry leave the state, and send nothing. */
  | {
      kind: "drop";
      because: "another entry has it" | "a create returned its id" | "it is in doubt" | "it was found";
    }
  /** Fail. */
  | { kind: "refuse"; because: messages.Refusal }
  /** Import the webhook that was found in place of one in doubt, then let the entry of that one leave the state. */
  | { kind: "import first"; resource: Resource };

interface Question {
  id: string;
  recorded: Pick<State, "inDoubtId">;
  /** What the run knows of the resources that have, had, or import the webhook. */
  resources: readonly Resource[];
  /** Whether the engine imports a webhook in this run: without such a resource, it may be the one of this webhook. */
  hasEngineImport?: boolean;
}

/**
 * Decides about a delete. The engine passes an id and outputs, and neither a URN nor the reason: the resource may have left
 * the program, or was replaced, or another entry of the state has the same webhook.
 */
export function decideDelete({ id, recorded, resources, hasEngineImport }: Question): DeleteDecision {
  if (hasEngineImport && resources.length === 0) {
    return { kind: "refuse", because: "its replacement may be an import" };
  }
  if (isInDoubt(id)) {
    if (resources.some(({ outcome }) => outcome?.kind === "imported")) {
      return { kind: "drop", because: "it was found" };
    }
    const importer = resources.find(({ importId }) => importId !== undefined);
    if (importer === undefined) return { kind: "drop", because: "it is in doubt" };
    return { kind: "import first", resource: importer };
  }
  if (resources.some(({ outcome }) => outcome?.kind === "created" && outcome.id === id)) {
    return { kind: "drop", because: "a create returned its id" };
  }
  const mustStay = resources.some((resource) => isNeeded(id, resource));
  // Without a resource that keeps it, each of two entries would leave the state because of the other.
  if (resources.some(({ currentId }) => currentId === id) || (isShared(id, resources) && !mustStay)) {
    return { kind: "drop", because: "another entry has it" };
  }
  if (resources.some(({ importId }) => importId === id)) {
    return { kind: "refuse", because: "its import has not succeeded" };
  }
  if (mustStay) return { kind: "refuse", because: "its replacement may not exist" };
  if (recorded.inDoubtId !== undefined) return { kind: "refuse", because: "its id was entered" };
  return { kind: "send" };
}

/** Reports whether a webhook must stay, because it is unknown whether its replacement exists. */
function isNeeded(id: string, { recordedId, past, outcome, exists }: Resource): boolean {
  if (exists) return false;
  if (recordedId === id) return outcome?.kind === "in doubt" || past?.interrupted !== undefined;
  const { replacedIds = [], isInDoubt, isUnconfirmed, isImported } = past ?? {};
  return replacedIds.includes(id) && (isInDoubt || isUnconfirmed || isImported) === true;
}

/** Reports whether a webhook that is deleted before its replacement has another resource, which may come later. */
function isShared(id: string, resources: readonly Resource[]): boolean {
  return resources.some(({ recordedId, past, exists }) => recordedId === id && past?.isShared && !exists);
}

/**
 * Deletes a webhook; one that the API no longer has counts as deleted.
 *
 * @throws WebhookError if the webhook must stay, or if it is unknown whether it was deleted.
 */
export async function deleteWebhook(session: Session, id: string, outputs: Properties): Promise<void> {
  const recorded = parseState(outputs);
  const action = `Deleting ${label(id, recorded)}`;
  if (recorded === undefined) throw unreadableStateError(action);
  const { run, log } = session;
  const resources = run.withId(id);
  // Nothing is sent for a webhook in doubt, so its account does not matter.
  if (!isInDoubt(id)) session.accountOf({ action, id, recorded });
  const importer = resources.find((resource) => ![undefined, id].includes(resource.engineImportId));
  if (importer !== undefined) await importFirst(session, importer, { id, recorded });
  const hasEngineImport = run.resources.some(({ engineImportId }) => engineImportId !== undefined);
  const decision = decideDelete({ id, recorded, resources, hasEngineImport });
  if (decision.kind === "refuse") throw messages.refusedError(decision.because, id, recorded);
  if (decision.kind === "import first") return importFirst(session, decision.resource, { id, recorded });
  if (decision.kind === "send") return send(session, { id, recorded, action });
  const { because } = decision;
  if (because === "it was found") return;
  if (because === "it is in doubt") {
    const kept = run.resources.filter(({ declared }) => declared?.inputs.name === recorded.name);
    const keptIds = kept.flatMap((resource) => resource.currentId ?? []);
    return log.warn(inDoubt.droppedWarning({ id, webhook: recorded, keptIds }));
  }
  return log.warn(messages.droppedWarning(because, id, recorded));
}

/**
 * Imports a webhook before the one that it replaces is deleted or dropped. With deleteBeforeReplace the engine creates, and
 * so imports, after that. And by an option of its own it imports without a request: only an update confirms the id.
 */
async function importFirst(
  session: Session,
  resource: Resource,
  { id, recorded }: { id: string; recorded: State },
): Promise<void> {
  const { importId = resource.engineImportId, declared } = resource;
  const inputs = parseInputs({ ...declared?.inputs, import: importId });
  if (!("import" in inputs)) return;
  // For an import by the engine, check does not know the secret that was sent.
  if (isInDoubt(id) && inputs.secret !== recorded.secret)
    throw messages.otherSecretError({ id, webhook: recorded, urn: resource.urn });
  await importWebhook(session, resource, inputs);
  if (isInDoubt(id)) session.log.progress(inDoubt.foundProgress(id, recorded, inputs.import));
}

interface Sent {
  id: string;
  recorded: State;
  action: string;
}

async function send(session: Session, { id, recorded, action }: Sent): Promise<void> {
  const { settings, guide, client } = session.accountOf({ action, id, recorded });
  const entry = session.journal.change("delete", { baseUrl: recorded.baseUrl, provider: guide.provider, id });
  const deleting = client.delete(id, { action, secrets: secretsOf(recorded) });
  const { missing } = await session.missing
    .weigh({ label: label(id, recorded), baseUrl: recorded.baseUrl }, deleting)
    .catch((error) => {
      // The engine keeps no trace of it, so the entry stays: the program may declare the webhook again.
      if (hasFailedAs("unconfirmed", error)) throw messages.unclearError(error);
      entry.withdraw();
      throw error;
    });
  // Only another webhook proves that those of the previous URL are at this one. An earlier attempt of this delete that
  // may have taken effect does not.
  const hasMoved = recorded.baseUrl !== settings.baseUrl;
  if (missing !== undefined && hasMoved && missing !== "proven") {
    entry.withdraw();
    throw messages.notAtNewUrlError({ action, recorded, settings, guide });
  }
  entry.settle();
}
