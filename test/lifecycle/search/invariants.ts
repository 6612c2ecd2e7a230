import { UPDATED as UPDATE_FIELDS } from "../../../src/record/fields.js";
import { readPast } from "../../../src/record/past.js";
import { REPLACED_ID } from "../../../src/record/properties.js";
import {
  type ExportedResource,
  findCutOffChanges,
  findPendingCreates,
  findWebhooks,
} from "../../../src/stack/stack-export.js";
import type { UnresolvedCreate } from "../../../src/stack/unresolved.js";
import type { Stored } from "./api.js";
import {
  ACCOUNTS,
  keyOfProvider,
  nameOf,
  recordedProvider,
  SECRETS,
  type State,
  shown,
  shownId,
  webhookOf,
} from "./state.js";
import type { Step } from "./steps.js";
import type { Seen } from "./world.js";

/** A step that was taken, and all that could be observed. */
export interface Taken {
  step: Step;
  seen: Seen;
  before: State;
  after: State;
  /** What the package reports as unresolved. */
  unresolvedBefore: readonly UnresolvedCreate[];
  unresolvedAfter: readonly UnresolvedCreate[];
}

/** The error for a broken promise, with the evidence. */
export class Violation extends Error {
  override readonly name = "Violation";
}

const ALL = [...UPDATE_FIELDS, "secret"] as const;

/** The fields that the program knows. The secret that somebody else has set is in no reply. */
const knownFields = ({ creator }: Stored) => (creator === undefined ? UPDATE_FIELDS : ALL);

/** Returns the records of the webhooks, with the ids that the search gives these. */
export const recordsOf = (state: State) =>
  findWebhooks(state.stack).map((record) => {
    const id = webhookOf(state, record)?.id ?? state.gone.find((gone) => shownId(gone) === record.id);
    return id === undefined ? record : { ...record, id };
  });

const find = (state: State, id: string) => state.webhooks.find((webhook) => webhook.id === id);

const isInDoubt = ({ id = "" }: ExportedResource) => readPast(id, {}).kind === "unresolved";

/** Returns the webhooks that the program has created, and that neither the state nor a report shows. */
function findLost({ after, unresolvedAfter }: Taken): Stored[] {
  const recorded = new Set(recordsOf(after).map(({ id }) => id));
  const reported = new Set(unresolvedAfter.map(({ urn }) => urn));
  return after.webhooks.filter(({ id, creator, isExcused }) => {
    if (creator === undefined || isExcused || recorded.has(id)) return false;
    // One report stands for one webhook.
    return !reported.delete(creator);
  });
}

/** Reports whether a person has read an id. */
const isRead = ({ lines }: Seen, id: string) =>
  lines.some((line) => line.split(id).some((rest, index) => index > 0 && !/^\w/.test(rest)));

/** Notes what a person knows from what was printed: the ids of webhooks that must be looked for. The rest are documented limits. */
export function excuse(taken: Taken): void {
  const { step, seen, after, before } = taken;
  for (const { operation, id, fault, isDone, isProbe } of seen.calls) {
    const webhook = find(after, id);
    // The API itself has named the id.
    if (operation === "update" && isDone && !isProbe && webhook !== undefined) {
      if (fault?.startsWith("provider killed")) webhook.mayDiffer = true;
      else delete webhook.mayDiffer;
    }
    // Without a clear reply, the error of the delete names the webhook.
    const isUnclear = fault?.startsWith("provider killed") || (fault && !seen.ok && isRead(seen, id));
    if (operation === "delete" && isDone && isUnclear) after.gone.push(id);
  }
  const imported =
    step.kind === "up" && step.edit?.what.startsWith("import") ? find(after, step.edit.to ?? "") : undefined;
  if (imported !== undefined) imported.isClaimed = true;
  // A limit: the engine forgets what an earlier one was killed in, also if the run does not reach that webhook.
  for (const id of findForgotten(taken)) {
    if (step.kind === "up" && seen.ok && taken.unresolvedBefore.length === 0 && !step.options?.exclude)
      continue;
    const webhook = find(after, id);
    if (webhook === undefined) after.gone.push(id);
    else webhook.mayDiffer = true;
  }
  const recorded = new Set(recordsOf(after).map(({ id }) => id));
  const dropped = recordsOf(before).filter(
    (record) => isInDoubt(record) && !recorded.has(record.id) && isRead(seen, record.id ?? ""),
  );
  const pending = findPendingCreates(after.stack).map(({ urn }) => urn);
  for (const webhook of findLost(taken)) {
    // A person deletes what a message names, and what only the notes knew: a documented limit.
    if (
      (step.kind === "go to the other machine" && !pending.includes(webhook.creator ?? "")) ||
      dropped.some(({ urn }) => urn === webhook.creator)
    ) {
      after.webhooks.splice(after.webhooks.indexOf(webhook), 1);
    }
  }
  for (const { id } of recordsOf(after)) delete find(after, id ?? "")?.isExcused;
}

/** Returns the ids of the webhooks that an engine was killed in a change of, if nothing says so any more, and nothing was sent. */
function findForgotten({ seen, before, after }: Taken): string[] {
  const cutOff = findCutOffChanges(before.stack).flatMap(({ id }) => id ?? []);
  return cutOff.filter((id) => {
    const record = recordsOf(after).find((one) => one.id === id);
    const isKnown =
      record?.outputs?.unconfirmed === true || findCutOffChanges(after.stack).some((one) => one.id === id);
    return (
      !isKnown && !seen.calls.some((call) => call.id === id && (call.isDone || call.fault === undefined))
    );
  });
}

/** What must hold after every step. Each yields the evidence against it. */
const INVARIANTS: Record<string, (taken: Taken) => Iterable<string>> = {
  *"every webhook that the program created is in the state, or reported as unresolved"(taken) {
    for (const { id, creator } of findLost(taken)) yield `${id} of ${creator}`;
  },

  *"a run creates at most one webhook for a resource"({ seen }) {
    const creates = seen.calls.filter(({ operation, isDone }) => operation === "create" && isDone);
    const senders = creates.map(({ sender }) => sender);
    if (new Set(senders).size < senders.length) yield senders.join();
  },

  *"while something is unresolved, an up changes nothing at the API"(taken) {
    const { step, seen, after, unresolvedBefore } = taken;
    const isGated = unresolvedBefore.length > 0 && Object.keys(after.program).length > 0;
    if (step.kind !== "up" || !isGated) return;
    for (const { operation, id, isProbe } of seen.calls) if (!isProbe) yield `${operation} ${id}`;
    // The plugin refuses changes only: an up without one warns.
    const isWarned =
      after.face === "plugin" && seen.lines.some((line) => line.includes("changes no webhook"));
    if (seen.ok && !isWarned) yield "it succeeded";
  },

  *"only a create without a clear outcome closes the gate"(taken) {
    const { step, seen, unresolvedBefore, unresolvedAfter } = taken;
    const isKilled = "fault" in step && step.fault?.kind.includes("killed");
    for (const { urn } of unresolvedAfter) {
      if (isKilled || unresolvedBefore.some((one) => one.urn === urn)) continue;
      const isUnclear = seen.calls.some(
        ({ operation, fault, sender }) => operation === "create" && fault && sender === urn,
      );
      if (!isUnclear) yield urn;
    }
  },

  *"none is refused for a minute after a create was sent, at least, unless the API has replied"(taken) {
    const { seen, unresolvedAfter } = taken;
    for (const { urn, until } of unresolvedAfter.filter(({ notedId }) => notedId === undefined)) {
      const sent = seen.calls.findLast(({ operation, sender }) => operation === "create" && sender === urn);
      if (sent !== undefined && Date.parse(until) < sent.at + 59_000) yield `${urn}: ${until}`;
    }
  },

  *"a replaced webhook is deleted only once its replacement exists"({ step, seen, before, after }) {
    if (step.kind !== "up") return;
    for (const { operation, id, isDone, sender = "" } of seen.calls) {
      if (operation !== "delete" || !isDone || !(nameOf(sender) in after.program)) continue;
      // What an earlier run has replaced may go, although the next replacement is not there yet.
      const others = recordsOf(after).filter((record) => record.urn === sender && record.id !== id);
      const exists = ({ id: other = "" }: ExportedResource) =>
        before.gone.includes(other) || find(after, other) !== undefined;
      if (others.length > 0 && !others.some(exists))
        yield `${id}, and ${sender} has ${others.map((one) => one.id)}`;
    }
  },

  *"no stranger's webhook is changed or deleted"({ step, before, after }) {
    if (step.kind === "move it back") return;
    for (const webhook of before.webhooks) {
      const now = find(after, webhook.id);
      if (webhook.creator !== undefined || webhook.isClaimed || now?.isClaimed) continue;
      if (JSON.stringify(now) !== JSON.stringify(webhook)) yield `${webhook.id}: ${JSON.stringify(now)}`;
    }
  },

  *"a webhook moves only to a Provider of its account"({ step, before, after }) {
    const hasWrongKey = step.kind === "up" && step.options?.hasWrongKey;
    for (const record of recordsOf(after)) {
      const old = recordsOf(before).find(({ id }) => id === record.id);
      if (old === undefined || old.provider === record.provider || isInDoubt(record)) continue;
      const account = ACCOUNTS[keyOfProvider(recordedProvider(record), hasWrongKey)];
      if (`${account}${shownId(record.id ?? "")}` !== record.id) yield `${record.id} to ${record.provider}`;
    }
  },

  *"a key that does not see a webhook replaces none"({ seen, before }) {
    for (const { operation, isDone, id, sender } of seen.calls) {
      const old = recordsOf(before).find(({ urn }) => urn === sender)?.id ?? id;
      const isThere = find(before, old) !== undefined;
      if (operation === "create" && isDone && isThere && old.startsWith("other/") !== id.startsWith("other/"))
        yield `${old} by ${id}`;
    }
  },

  *"a deletion in the dashboard fails no refresh of one webhook"({ step, seen, before }) {
    if (step.kind !== "refresh" || step.fault !== undefined || recordsOf(before).length !== 1) return;
    if (!seen.ok) yield seen.lines.join();
  },

  *"two records of one webhook are refused until one is taken out"({ step, seen, before, after }) {
    if (step.kind !== "up") return;
    // Until an update nothing shows when an imported webhook was created.
    const current = recordsOf(before).filter(
      ({ delete: isReplaced, outputs }) => !isReplaced && outputs?.createdAt,
    );
    for (const { urn, id } of current) {
      const isTwin = current.some((other) => other.id === id && other.urn !== urn);
      if (!isTwin || !(nameOf(urn) in after.program) || step.options?.exclude === nameOf(urn)) continue;
      if (seen.ok) yield `${id} of ${urn}`;
      for (const call of seen.calls) if (call.id === id && !call.isProbe) yield `${call.operation} ${id}`;
    }
  },

  *"resolve sends nothing"({ step, seen }) {
    if (step.kind === "resolve") for (const { operation, id } of seen.calls) yield `${operation} ${id}`;
  },

  *"resolve leaves the state as it is if an answer is refused"({ step, seen, before, after }) {
    const isRefused = step.kind === "resolve" && seen.lines.some((line) => line.includes("was not changed"));
    if (isRefused && JSON.stringify(before.stack) !== JSON.stringify(after.stack)) yield seen.lines.join();
  },

  *"no webhook is recorded of which a person says that it is not there"({ step, after, unresolvedBefore }) {
    if (step.kind !== "resolve" || step.person !== "deletes all") return;
    for (const { urn, made } of unresolvedBefore)
      if (after.stack.deployment.resources.some((record) => record.urn === urn && record.id === made?.id))
        yield `${made?.id} of ${urn}`;
  },

  *"after none, the webhook that a create was to replace is back"({ step, before, after, unresolvedBefore }) {
    if (step.kind !== "resolve" || !step.none) return;
    for (const { resource, made } of unresolvedBefore) {
      const replaced = resource?.outputs?.[REPLACED_ID];
      const isThere = recordsOf(before).some(({ id }) => id === replaced);
      const record = recordsOf(after).find(({ id }) => id === replaced);
      if (
        (made === undefined || step.person === "deletes all") &&
        isThere &&
        (record === undefined || record.delete)
      )
        yield String(replaced);
    }
  },

  *"a create that becomes unresolved says which webhook it was to replace"({ before, after }) {
    const isNew = ({ id }: ExportedResource) => !recordsOf(before).some((one) => one.id === id);
    for (const { urn, outputs } of recordsOf(after).filter((record) => isInDoubt(record) && isNew(record))) {
      const replaced = recordsOf(after).find((record) => {
        const old = recordsOf(before).find(({ id }) => id === record.id);
        return record.urn === urn && record.delete && old !== undefined && !old.delete && !isInDoubt(old);
      });
      // A note names it also if it still has the URN of an alias.
      const isCurrent = ({ id, delete: isOld }: ExportedResource) => id === outputs?.[REPLACED_ID] && !isOld;
      const isRight = replaced === undefined && recordsOf(after).some(isCurrent);
      if (outputs?.[REPLACED_ID] !== replaced?.id && !isRight)
        yield `${urn}: ${outputs?.[REPLACED_ID]}, not ${replaced?.id}`;
    }
  },

  *"what an engine was killed in is sent again"(taken) {
    const { step, seen, after, unresolvedBefore } = taken;
    if (step.kind === "resolve" && seen.ok && unresolvedBefore.some(({ shownBy }) => shownBy !== "record"))
      for (const record of recordsOf(after))
        if (!record.delete && !isInDoubt(record) && record.outputs?.unconfirmed !== true)
          yield `${record.id}`;
    const isReached =
      step.kind === "up" && seen.ok && unresolvedBefore.length === 0 && !step.options?.exclude;
    if (isReached) yield* findForgotten(taken);
  },

  *"no resource changes or deletes the webhook of another"({ step, seen, before, after }) {
    if (step.kind === "resolve") return;
    const holders = [...recordsOf(before), ...recordsOf(after)];
    for (const { operation, isProbe, id, sender = "", isDone, before: webhook } of seen.calls) {
      if (operation === "create" || isProbe || !isDone || webhook?.creator === undefined) continue;
      const names = [nameOf(sender), after.program[nameOf(sender)]?.alias];
      if (!holders.some((record) => record.id === id && names.includes(nameOf(record.urn))))
        yield `${operation} ${id} by ${sender}`;
    }
  },

  *"a record changes only to what the API has"({ step, before, after }) {
    if (step.kind === "resolve") return;
    for (const record of recordsOf(after)) {
      const webhook = find(after, record.id ?? "");
      const old = recordsOf(before).find(({ id }) => id === record.id);
      const [now, then] = [shown(record.outputs), old && shown(old.outputs)];
      // A limit: in the run that imports it twice, nothing shows that.
      if (recordsOf(after).filter(({ id }) => id === record.id).length > 1) continue;
      // A mark says that it may differ.
      const isMarked = now.unconfirmed === true || isInDoubt(record);
      if (isMarked || webhook === undefined || webhook.mayDiffer) continue;
      const changed = knownFields(webhook).filter(
        (field) => now[field] !== then?.[field] && now[field] !== webhook[field],
      );
      if (changed.length > 0) yield `${record.id}: ${changed}`;
    }
  },

  *"neither the key nor a secret is in a message"({ seen }) {
    const secrets = [...Object.keys(ACCOUNTS), ...Object.values(SECRETS)];
    for (const line of seen.lines) if (secrets.some((secret) => line.includes(secret))) yield line;
  },
};

/** Checks all promises. @throws Violation for the first that is broken. */
export function checkInvariants(taken: Taken): void {
  for (const [promise, check] of Object.entries(INVARIANTS)) {
    const evidence = [...check(taken)];
    if (evidence.length > 0) throw new Violation(`Not kept: ${promise}. ${evidence.join("; ")}`);
  }
}

/** Checks, after an up with nothing left to do, that state and API hold the declared webhooks and no other of ours. */
export function checkSettled(state: State): void {
  const problems = [...findDifferences(state)];
  if (problems.length > 0)
    throw new Violation(`Not kept: a settled stack has exactly what is declared. ${problems.join("; ")}`);
}

/** Lists how the state and the API differ from the program. */
function* findDifferences(state: State): Generator<string> {
  const records = recordsOf(state);
  if (records.length !== Object.keys(state.program).length) yield `${records.length} are recorded`;
  for (const [name, declared] of Object.entries(state.program)) {
    const { id = "", outputs } = records.find(({ urn }) => nameOf(urn) === name) ?? {};
    const recorded = shown(outputs);
    const off = ALL.filter((field) => declared[field] !== recorded[field]);
    if (off.length > 0) yield `another ${off} is recorded of ${name} than declared`;
    const webhook = find(state, id);
    // A refresh shows it.
    const mayBeGone = state.gone.includes(id) && !state.refresh;
    if (webhook === undefined && !mayBeGone) yield `${name} has no webhook ${id}`;
    if (webhook === undefined || webhook.mayDiffer) continue;
    const differs = knownFields(webhook).filter((field) => declared[field] !== webhook[field]);
    if (differs.length > 0) yield `the API has another ${differs} of ${name} than declared`;
  }
  const recorded = new Set(records.map(({ id }) => id));
  for (const { id, creator, isExcused } of state.webhooks)
    if (creator && !isExcused && !recorded.has(id)) yield `${id} is more than what is declared`;
}
