import type { ExportedResource } from "../../../src/stack/stack-export.js";
import { accountOf, KEYS, keyOfProvider, providerOf, recordedProvider, shownId } from "./accounts.js";
import type { Call, Stored } from "./api.js";
import { toPattern, Violation } from "./person.js";
import { isInDoubt, meant, nameOf, recordsIn, SECRETS, unseal, webhookOf } from "./records.js";
import type { State } from "./state.js";
import type { Step } from "./steps.js";
import type { Reported, Seen } from "./world.js";

/** A step that was taken, and all that could be observed. */
export interface Taken {
  step: Step;
  seen: Seen;
  before: State;
  after: State;
  /** What a person reads of unresolved creates. */
  reportedBefore: readonly Reported[];
  reportedAfter: readonly Reported[];
}

const FIELDS = ["url", "name", "enabled"] as const;
const ALL = [...FIELDS, "secret"] as const;

/** The fields that the program knows. The secret that somebody else has set is in no reply. */
const knownFields = ({ creator }: Stored) => (creator === undefined ? FIELDS : ALL);

/** Returns the records of the webhooks, with the ids that the search gives these. */
export const recordsOf = (state: State) =>
  recordsIn(state).map((record) => {
    const id = webhookOf(state, record)?.id ?? state.gone.find((gone) => shownId(gone) === record.id);
    return id === undefined ? record : { ...record, id };
  });

const find = (state: State, id: string) => state.webhooks.find((webhook) => webhook.id === id);

/** Returns the webhooks that the program has created, and that neither the state nor a report shows. */
function findLost({ after, reportedAfter }: Taken): Stored[] {
  const recorded = new Set(recordsOf(after).map(({ id }) => id));
  const reported = new Set(reportedAfter.map(({ urn }) => urn));
  return after.webhooks.filter(({ id, creator, isExcused }) => {
    if (creator === undefined || isExcused || recorded.has(id)) return false;
    // One report stands for one webhook.
    return !reported.delete(creator);
  });
}

const OVERWRITTEN = toPattern(" is another webhook now: … were overwritten: restore them");

/** After these, what only the notes knew is not reported. A person compares the state with the dashboard, as the docs say. */
const LOSES_NOTES = new Set<Step["kind"]>(["go to the other machine", "restore a backup"]);

const isRead = ({ lines }: Seen, id: string) =>
  lines.some((line) => line.split(id).some((rest, index) => index > 0 && !/^\w/.test(rest)));

/** Notes what a person knows from what was printed: the ids of webhooks that must be looked for. The rest are documented limits. */
export function excuse(taken: Taken): void {
  const { step, seen, after, before } = taken;
  for (const call of seen.calls) {
    // A limit: without a probe, only its reply shows whose webhook an update has changed. A person restores it, as the error says.
    if (seen.lines.some((line) => OVERWRITTEN.exec(line)?.[1] === shownId(call.id))) {
      Object.assign(find(after, call.id) ?? {}, call.before);
      call.isDone = false;
    }
    const { operation, id, fault, isDone, isProbe } = call;
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
    if (isReached(taken)) continue;
    const webhook = find(after, id);
    if (webhook === undefined) after.gone.push(id);
    else webhook.mayDiffer = true;
  }
  const recorded = new Set(recordsOf(after).map(({ id }) => id));
  const dropped = recordsOf(before).filter(
    (record) => isInDoubt(record) && !recorded.has(record.id) && isRead(seen, record.id ?? ""),
  );
  const pending = after.stack.deployment.pending_operations.map(({ resource }) => resource.urn);
  for (const webhook of findLost(taken)) {
    // A person deletes what a message names, and what only the notes knew: a documented limit.
    if (
      (LOSES_NOTES.has(step.kind) && !pending.includes(webhook.creator ?? "")) ||
      dropped.some(({ urn }) => urn === webhook.creator)
    ) {
      after.webhooks.splice(after.webhooks.indexOf(webhook), 1);
    }
  }
  for (const { id } of recordsOf(after)) delete find(after, id ?? "")?.isExcused;
}

/**
 * Reports whether a run has reached all that the program declares, by the state from before it. A limit: with the plugin, each Provider reads
 * that itself, and the engine may have saved it before the second one does.
 */
function isReached({ step, seen, after, reportedBefore }: Taken): boolean {
  const declared = Object.entries(after.program);
  const providers = new Set(declared.map(([name, { provider }]) => provider ?? providerOf(name)));
  const isRead = after.face === "dynamic" || providers.size < 2;
  return step.kind === "up" && seen.ok && reportedBefore.length === 0 && isRead;
}

/** Returns the ids of the webhooks that an engine was killed in a change of, if nothing says so any more, and nothing was sent. */
function findForgotten({ seen, before, after }: Taken): string[] {
  return cutOffIn(before).filter((id) => {
    const record = recordsOf(after).find((one) => one.id === id);
    const isKnown = record?.outputs?.unconfirmed === true || cutOffIn(after).includes(id);
    return (
      !isKnown && !seen.calls.some((call) => call.id === id && (call.isDone || call.fault === undefined))
    );
  });
}

/** Returns the ids of the webhooks during whose update or delete an engine was killed. An update that renames one has its new URN. */
const cutOffIn = (state: State) =>
  state.stack.deployment.pending_operations.flatMap(({ type, resource: { urn, aliases = [], id } }) =>
    recordsOf(state)
      .filter((record) => !record.delete && [urn, ...aliases].includes(record.urn))
      .flatMap((record) => record.id ?? [])
      .filter((own) => ["updating", "deleting"].includes(type) && (id ?? shownId(own)) === shownId(own)),
  );

const isOfUnknownOutcome = ({ id, createdId }: Reported) => id === undefined && createdId === undefined;

/** A record, with a mark of the engine that the last create for it was to replace it, and did not end with an id. */
type Replaced = ExportedResource & { isReplaced?: true };

const isGone = (state: State, id?: string) => meant(state, id).some(({ webhook }) => webhook === undefined);

/** What messages say of the webhook that they name first, if any, and whether that is so. */
const SAID: Record<string, (taken: Taken, id?: string, name?: string) => boolean> = {
  ": not found": ({ before }, id) => isGone(before, id),
  ": does not exist": ({ before }, id) => isGone(before, id),
  "Several webhooks are gone at once": ({ before }) =>
    recordsIn(before).filter(({ id }) => isGone(before, id)).length > 1,
  "another API key saw it last": ({ before, seen }, id) =>
    isGone(before, id) ||
    meant(before, id).some(({ webhook }) => callsOf(seen, id).some(({ key }) => key !== webhook?.seenWith)),
  " is another webhook now": ({ before, seen }, id) =>
    callsOf(seen, id).some((call) => meant(before, id).some(({ webhook }) => webhook?.id !== call.id)),
  " was managed by another Provider, with another API key": ({ after }, id, name = "") => {
    const key = keyOfProvider(after, after.program[name]?.provider ?? providerOf(name));
    return meant(after, id).some(({ webhook }) => webhook?.seenWith !== key);
  },
  " is also recorded for ": ({ before }, id) =>
    new Set(meant(before, id).map(({ webhook }) => webhook)).size < meant(before, id).length,
  " belongs to another resource of this stack": ({ before, after }, id, name) =>
    Object.entries(after.program).some(([other, { import: own }]) => other !== name && own === id) ||
    [before, after].some((state) => meant(state, id).some(({ record }) => nameOf(record.urn) !== name)),
  " was not deleted: a resource of the program manages it": ({ after }, id) => meant(after, id).length > 0,
};

const PATTERNS = Object.entries(SAID).map(([text, isSo]) => [toPattern(text), isSo] as const);

const callsOf = ({ calls }: Seen, shown?: string): Call[] => calls.filter(({ id }) => shownId(id) === shown);

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
    const { step, seen, after, reportedBefore } = taken;
    const isGated = reportedBefore.length > 0 && Object.keys(after.program).length > 0;
    if (step.kind !== "up" || !isGated) return;
    for (const { operation, id, isProbe } of seen.calls) if (!isProbe) yield `${operation} ${id}`;
    // The plugin refuses changes only: an up without one warns.
    const isWarned =
      after.face === "plugin" && seen.lines.some((line) => line.includes("changes no webhook"));
    if (seen.ok && !isWarned) yield "it succeeded";
  },

  *"only a create without a clear outcome closes the gate"(taken) {
    const { step, seen, reportedBefore, reportedAfter } = taken;
    const isKilled = "fault" in step && step.fault?.kind.includes("killed");
    for (const { urn } of reportedAfter) {
      if (isKilled || LOSES_NOTES.has(step.kind) || reportedBefore.some((one) => one.urn === urn)) continue;
      const isUnclear = seen.calls.some(
        ({ operation, fault, sender }) => operation === "create" && fault && sender === urn,
      );
      if (!isUnclear) yield urn;
    }
  },

  *"none is refused for a minute after a create was sent, at least, unless the API has replied"(taken) {
    const { seen, reportedAfter } = taken;
    for (const { urn, noneFrom: until = "" } of reportedAfter.filter(isOfUnknownOutcome)) {
      const sent = seen.calls.findLast(({ operation, sender }) => operation === "create" && sender === urn);
      if (sent !== undefined && Date.parse(until) < sent.at + 59_000) yield `${urn}: ${until}`;
    }
  },

  *"a replaced webhook is deleted only once its replacement exists"({ step, seen, before, after }) {
    if (step.kind !== "up") return;
    for (const { operation, id, isDone, sender } of seen.calls) {
      if (operation !== "delete" || !isDone || !(nameOf(sender) in after.program)) continue;
      // What an earlier run has replaced may go, although the next replacement is not there yet.
      const others = recordsOf(after).filter((record) => record.urn === sender && record.id !== id);
      const exists = ({ id: other = "" }: ExportedResource) =>
        before.gone.includes(other) || find(after, other) !== undefined;
      if (others.length > 0 && !others.some(exists))
        yield `${id}, and ${sender} has ${others.map((one) => one.id)}`;
    }
  },

  *"no stranger's webhook is changed or deleted"({ before, after }) {
    for (const webhook of before.webhooks) {
      const now = find(after, webhook.id);
      if (webhook.creator !== undefined || webhook.isClaimed || now?.isClaimed) continue;
      if (JSON.stringify(now) !== JSON.stringify(webhook)) yield `${webhook.id}: ${JSON.stringify(now)}`;
    }
  },

  *"a webhook moves only to a Provider of its account"({ step, before, after }) {
    if (step.kind === "restore a backup" || "first" in step) return;
    for (const record of recordsOf(after)) {
      const old = recordsOf(before).find(({ id }) => id === record.id);
      if (old === undefined || old.provider === record.provider || isInDoubt(record)) continue;
      const account = accountOf(keyOfProvider(after, recordedProvider(record)));
      if (`${account}${shownId(record.id ?? "")}` !== record.id) yield `${record.id} to ${record.provider}`;
    }
  },

  *"a key that does not see a webhook replaces none"({ step, seen, before, after }) {
    if ("first" in step) return;
    for (const { operation, isDone, id, sender } of seen.calls) {
      const old = recordsOf(before).find(({ urn }) => urn === sender)?.id ?? id;
      const isThere = find(after, old) !== undefined;
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
    const current = recordsOf(before).filter((one) => !one.delete && one.outputs?.createdAt);
    for (const { urn, id } of current) {
      const isTwin = current.some((other) => other.id === id && other.urn !== urn);
      if (!isTwin || !(nameOf(urn) in after.program)) continue;
      if (seen.ok) yield `${id} of ${urn}`;
      for (const call of seen.calls) if (call.id === id && !call.isProbe) yield `${call.operation} ${id}`;
    }
  },

  *"resolve sends nothing, and a refused answer leaves the state as it is"({ step, seen, before, after }) {
    if (step.kind !== "resolve") return;
    for (const { operation, id } of seen.calls) yield `${operation} ${id}`;
    const isRefused = seen.lines.some((line) => line.includes("was not changed"));
    if (isRefused && JSON.stringify(before.stack) !== JSON.stringify(after.stack)) yield seen.lines.join();
  },

  *"after none, the state is the one from before the create"({ step, after, reportedBefore }) {
    if (step.kind !== "resolve" || !step.none) return;
    const answered = reportedBefore.filter(({ id }) => id === undefined || step.person === "deletes all");
    for (const { urn, id, isReplaced, delete: isOld } of recordsIn(after) as Replaced[])
      if (answered.some((one) => one.urn === urn && (one.id === id || (isReplaced && isOld)))) yield `${id}`;
  },

  *"what an engine was killed in is sent again"(taken) {
    const { step, seen, before, after, reportedBefore } = taken;
    const isRecorded = ({ urn }: Reported) =>
      recordsIn(before).some((one) => one.urn === urn && isInDoubt(one));
    if (step.kind === "resolve" && seen.ok && !reportedBefore.every(isRecorded))
      for (const record of recordsOf(after))
        if (!record.delete && !isInDoubt(record) && record.outputs?.unconfirmed !== true)
          yield `${record.id}`;
    if (step.kind === "resolve" || isReached(taken)) yield* findForgotten(taken);
  },

  *"no resource changes or deletes the webhook of another"({ step, seen, before, after }) {
    if (step.kind === "resolve") return;
    const holders = [...recordsOf(before), ...recordsOf(after)];
    for (const { operation, isProbe, id, sender, isDone, before: webhook } of seen.calls) {
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
      const [now, then] = [unseal(record.outputs), old && unseal(old.outputs)];
      // A limit: in the run that imports it twice, nothing shows that.
      if (recordsOf(after).filter(({ id }) => id === record.id).length > 1) continue;
      const isMarked = [now.unconfirmed, now.imported].includes(true) || isInDoubt(record);
      if (isMarked || webhook === undefined || webhook.mayDiffer) continue;
      const changed = knownFields(webhook).filter(
        (field) => now[field] !== then?.[field] && now[field] !== webhook[field],
      );
      if (changed.length > 0) yield `${record.id}: ${changed}`;
    }
  },

  *"a report names what is so"({ after, reportedAfter }) {
    for (const { urn, id, createdId = id, keep = [] } of reportedAfter) {
      const isMade = after.webhooks.some((one) => shownId(one.id) === createdId && one.creator === urn);
      if (createdId !== undefined && !isMade) yield `${createdId} of ${urn} is not there`;
      for (const { id } of keep)
        if (![...after.webhooks.map((one) => one.id), ...after.gone].some((one) => shownId(one) === id))
          yield `${id} is to be kept`;
    }
  },

  *"a message is true"(taken) {
    for (const line of taken.seen.lines)
      for (const [pattern, isSo] of PATTERNS) {
        const [said, id, name] = pattern.exec(line) ?? [];
        if (said !== undefined && !isSo(taken, id, name)) yield said;
      }
  },

  *"neither the key nor a secret is in a message"({ seen }) {
    const secrets = [...Object.values(KEYS), ...Object.values(SECRETS)];
    for (const line of seen.lines) if (secrets.some((secret) => line.includes(secret))) yield line;
  },
};
export function checkInvariants(taken: Taken): void {
  for (const [promise, check] of Object.entries(INVARIANTS)) {
    const evidence = [...check(taken)];
    if (evidence.length > 0) throw new Violation(`Not kept: ${promise}. ${evidence.join("; ")}`);
  }
}

/** Checks, after an up with nothing left to do, that state and API hold the declared webhooks and no other of ours. */
export function checkSettled(state: State): void {
  for (const problem of findDifferences(state))
    throw new Violation(`Not kept: a settled stack has exactly what is declared. ${problem}`);
}
function* findDifferences(state: State): Generator<string> {
  const records = recordsOf(state);
  if (records.length !== Object.keys(state.program).length) yield `${records.length} are recorded`;
  for (const [name, declared] of Object.entries(state.program)) {
    const { id = "", outputs } = records.find(({ urn }) => nameOf(urn) === name) ?? {};
    const recorded = unseal(outputs);
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
