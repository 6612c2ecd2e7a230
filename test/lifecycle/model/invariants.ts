import type { Call, StoredWebhook } from "../../../src/simulator/index.js";
import { sentAt } from "../../../src/stack/in-doubt.js";
import type { Declaration, InterruptedChange, Outcome, Recorded } from "./engine.js";

/** A run of the engine, and everything that could be observed. */
export interface Run {
  kind: "up" | "preview" | "refresh" | "destroy";
  program: ReadonlyMap<string, Declaration>;
  replace: ReadonlySet<string>;
  /** Whether an error hook of the program asked the engine to repeat failed creates. */
  repeatsCreates: boolean;
  /** Whether the settings of a Provider name another account's API. */
  isElsewhere: boolean;
  /** Whether the settings let a refresh probe. */
  probes: boolean;
  before: Seen;
  after: Seen;
  /** The requests that the API received, oldest first. */
  calls: readonly SentCall[];
  outcome: Outcome;
  /** The owner of each webhook: the resource that created or imported it. */
  owners: ReadonlyMap<string, string>;
  /** Whether the API uses the ids of deleted webhooks again. */
  usesIdsAgain: boolean;
  /** The change in which the run before it was killed. */
  interrupted: InterruptedChange | undefined;
}

/** A request, and the resource whose step sent it. */
export interface SentCall extends Call {
  readonly resource: string | undefined;
}

interface Seen {
  records: readonly Recorded[];
  webhooks: ReadonlyMap<string, StoredWebhook>;
}

/** The fields that an update sends. */
export const FIELDS = ["url", "name", "enabled"] as const;

/** The error for a broken promise, with the evidence. */
export class Violation extends Error {
  override readonly name = "Violation";
}

export const isInDoubt = ({ id }: Pick<Recorded, "id">) => id.startsWith("in-doubt:");

/** Returns what the user reads of a webhook in doubt. */
const reportOf = ({ id, outputs }: Recorded) =>
  `a webhook named ${outputs.name}, created at about ${sentAt(id)}`;

/** Returns the recorded ids of a resource's webhooks in doubt. */
export function doubtsOf(records: readonly Recorded[], resource: string): string[] {
  return records.filter((record) => record.resource === resource && isInDoubt(record)).map(({ id }) => id);
}

/** Returns the current record of a resource. Its other records wait for their deletion. */
export function currentOf(records: readonly Recorded[], resource: string): Recorded | undefined {
  return records.find((record) => record.resource === resource && !record.delete);
}

/** Returns the webhooks of a resource that exist and are not recorded. */
export function unrecorded({ records, webhooks }: Seen, owners: Run["owners"], resource: string): string[] {
  const ids = new Set(records.filter((record) => record.resource === resource).map(({ id }) => id));
  return [...webhooks.keys()].filter((id) => owners.get(id) === resource && !ids.has(id));
}

/** Reports whether an update of a webhook was sent. */
export const isUpdated = (calls: readonly SentCall[], id: string) =>
  calls.some(({ operation, body }) => {
    const { webhook_id: updated, url } = Object(body);
    return operation === "update" && updated === id && url !== undefined;
  });

/** Reports whether a line says that the failed delete of a webhook may have taken effect. */
export const saysMaybeGone = (line: string, id: string) =>
  line.includes(`eleting webhook ${id} (`) && line.includes("The webhook may be gone already.");

/** What must hold after every run, however it ended. Each returns the evidence against it. */
const INVARIANTS: Record<string, (run: Run) => Iterable<string>> = {
  *"every webhook of ours is recorded, or its resource is in doubt"({ before, after, owners }) {
    for (const resource of new Set(owners.values())) {
      const lost = unrecorded(after, owners, resource);
      // A webhook that was dropped in this run was named in a warning: see below.
      const inDoubt = new Set(doubtsOf(after.records, resource).concat(doubtsOf(before.records, resource)));
      if (lost.length > inDoubt.size) yield `${resource}: ${lost} for ${inDoubt.size} in doubt`;
    }
  },

  *"a run creates at most one webhook for a resource"({ calls }) {
    for (const [resource, creates] of createsByResource(calls)) {
      const committed = creates.filter((call) => call.committed);
      if (committed.length > 1) yield `${resource}: ${describe(committed)}`;
    }
  },

  *"a create is sent again only if it surely took no effect"({ calls, repeatsCreates }) {
    for (const [resource, creates] of createsByResource(calls)) {
      const again = creates.slice(0, -1);
      const isRefusal = (status = 0) =>
        status === 429 ||
        status === 503 ||
        (repeatsCreates && status >= 300 && status < 500 && status !== 408);
      const processed = again.filter(({ status, committed }) => committed || !isRefusal(status));
      if (processed.length > 0) yield `${resource}: ${describe(creates)}`;
    }
  },

  *"a create without a reply is recorded in doubt"({ calls, before, after }) {
    const old = new Set(before.records.map(({ id }) => id));
    const doubts = after.records.filter((record) => isInDoubt(record) && !old.has(record.id));
    for (const [resource, creates] of createsByResource(calls)) {
      const unanswered = creates.filter(({ status }) => status === undefined);
      const own = doubts.filter((record) => record.resource === resource);
      if (unanswered.length > own.length)
        yield `${resource}: ${describe(unanswered)} and ${own.length} in doubt`;
    }
  },

  *"a webhook is in doubt only if its own create was sent"({ calls, before, after }) {
    const old = new Set(before.records.map(({ id }) => id));
    const creates = createsByResource(calls);
    for (const { resource, id } of after.records.filter(isInDoubt)) {
      if (!old.has(id) && !creates.has(resource)) yield `${resource}: ${id}`;
    }
  },

  *"a webhook in doubt is not created again until a person decides"(run) {
    const { before, program, replace, calls } = run;
    for (const { resource } of before.records.filter((record) => isInDoubt(record) && isOpen(record))) {
      const decided = replace.has(resource) || program.get(resource)?.import !== undefined;
      const creates = createsByResource(calls).get(resource) ?? [];
      if (!decided && creates.length > 0) yield `${resource}: ${describe(creates)}`;
    }
  },

  *"a webhook in doubt is reported until it is resolved, and named when it is dropped"(run) {
    const { kind, before, after, outcome, program } = run;
    const text = outcome.lines.join("\n");
    const old = new Set(before.records.map(({ id }) => id));
    const inDoubt = after.records.filter((one) => isInDoubt(one) && isOpen(one));
    if (kind === "up" && outcome.ok && inDoubt.length > 0) {
      yield `${inDoubt.map(({ resource }) => resource)} in doubt, and the up succeeded`;
    }
    const expected = inDoubt.filter(({ id }) => !old.has(id)).map(reportOf);
    for (const report of new Set(expected)) {
      // Several webhooks may have one name, and the time has seconds only.
      const count = expected.filter((one) => one === report).length;
      if (text.split(report).length - 1 < count) yield `not reported ${count} times: ${report}`;
    }
    const left = new Set(after.records.filter(isOpen).map(({ id }) => id));
    for (const { id, resource } of before.records.filter(
      (one) => isInDoubt(one) && !one.pendingReplacement,
    )) {
      if (left.has(id) || after.records.some((one) => one.id === id && one.delete)) continue;
      const isImported = currentOf(after.records, resource)?.id === program.get(resource)?.import;
      const isNamed = text.includes(`(${id}) was removed`) || text.includes(`(${id}) was found`);
      if (!isImported && !isNamed) yield `${resource}: ${id} was dropped silently`;
    }
  },

  *"a new record agrees with the API"({ kind, before, after }) {
    for (const { resource, id, outputs } of after.records.filter((record) => !isInDoubt(record))) {
      const isOld = before.records.some(
        (old) => old.id === id && FIELDS.every((field) => old.outputs[field] === outputs[field]),
      );
      const webhook = after.webhooks.get(id);
      if (webhook === undefined || isOld) continue;
      // No reply contains the url.
      const known =
        kind === "refresh" ? (["name", "enabled"] as const) : (["url", "name", "enabled"] as const);
      const differs = known.filter((field) => outputs[field] !== webhook[field]);
      if (differs.length > 0) yield `${resource}: ${differs} of ${show(outputs)} against ${show(webhook)}`;
    }
  },

  *"an update sends url, name and enabled, and a probe only the id"({ kind, calls }) {
    const right = kind === "refresh" ? "webhook_id" : "enabled,name,url,webhook_id";
    for (const { operation, body } of calls) {
      if (operation !== "update" || body === undefined) continue;
      const fields = Object.keys(Object(body)).sort().join();
      if (fields !== right) yield fields;
    }
  },

  *"a webhook in doubt stays recorded as it was sent"({ before, after }) {
    for (const { id, resource, outputs } of before.records.filter(isInDoubt)) {
      const now = after.records.find((record) => record.id === id)?.outputs ?? outputs;
      if (!same(now, outputs)) yield `${resource}: ${show(now)}`;
    }
  },

  *"a stranger's webhook is not touched"({ before, after, owners, program }) {
    const imports = new Set([...program.values()].map((declaration) => declaration.import));
    for (const [id, { updatedAt }] of before.webhooks) {
      if (owners.has(id) || imports.has(id)) continue;
      if (after.webhooks.get(id)?.updatedAt !== updatedAt) yield `${id}: ${show(after.webhooks.get(id))}`;
    }
  },

  *"no resource changes or deletes the webhook of another"(run) {
    const { kind, before, after, calls, owners, program } = run;
    for (const { operation, body, committed, resource } of calls) {
      const { webhook_id: id } = Object(body);
      const owner = owners.get(id);
      const isOther = resource !== undefined && resource !== owner;
      if (!committed || owner === undefined || !isOther || isOfEarlierWebhook(run, { operation, id, owner }))
        continue;
      yield `${operation} ${id} of ${owner} by ${resource}`;
    }
    if (kind === "destroy") return;
    for (const [resource, { import: id }] of program) {
      if (id === undefined || !before.webhooks.has(id) || after.webhooks.has(id)) continue;
      const holder = before.records.find((record) => record.id === id);
      // An owner that stays in the program may replace its webhook: see below.
      if (holder === undefined || !program.has(holder.resource)) yield `${id}, which ${resource} imports`;
    }
  },

  *"a record in doubt goes only once an import of its webhook succeeded"({ kind, before, after, ...run }) {
    if (kind !== "up") return;
    const text = run.outcome.lines.join("\n");
    for (const { id, resource } of before.records.filter((one) => isInDoubt(one) && isOpen(one))) {
      const importId = run.program.get(resource)?.import;
      if (importId === undefined || run.replace.has(resource)) continue;
      const isRecorded = after.records.some((one) => one.id === importId && one.resource === resource);
      // With deleteBeforeReplace the import comes first, and another failure may keep the engine from recording it.
      const isImported = isRecorded || text.includes(`(${id}) was found: it is webhook ${importId}.`);
      const stays = after.records.some((one) => one.id === id && isOpen(one));
      if (!isImported && !stays) yield `${resource}: ${id} is gone, and ${importId} is not recorded`;
      // Its reader would look for the webhook, and delete the one that was imported.
      if (isImported && text.includes(`(${id}) was removed`))
        yield `${resource}: ${id} was reported as dropped`;
    }
  },

  *"a webhook is deleted only if it left the program or is replaced"(run) {
    const { kind, before, after, program, replace, outcome } = run;
    for (const id of before.webhooks.keys()) {
      if (after.webhooks.has(id) || kind === "destroy") continue;
      for (const old of before.records.filter((record) => record.id === id && isOpen(record))) {
        const declared = program.get(old.resource);
        if (declared === undefined || replace.has(old.resource)) continue;
        // A refresh did not find it: the up replaces it.
        if (old.outputs.notFound === true) continue;
        if (declared.secret === old.outputs.secret) yield `${old.resource}: ${id}`;
      }
      const owner = after.records.find((record) => record.id === id && isOpen(record));
      if (owner !== undefined && outcome.ok) yield `${owner.resource}: ${id}, and it stays recorded`;
    }
  },

  *"a failed delete that may have taken effect says so"({ kind, before, after, calls, outcome }) {
    if (kind === "preview") return;
    for (const { operation, committed, body, resource } of calls) {
      const { webhook_id: id } = Object(body);
      const countIn = ({ records }: Seen) =>
        records.filter((one) => one.id === id && one.resource === resource && !one.pendingReplacement).length;
      // A webhook that exists is one that got its id, and so may another record be.
      const isRecorded = !after.webhooks.has(id) && countIn(after) > 0 && countIn(after) >= countIn(before);
      // A killed engine shows nothing.
      if (operation !== "delete" || !committed || !isRecorded || outcome.interrupted?.id === id) continue;
      if (!outcome.lines.some((line) => saysMaybeGone(line, id))) yield id;
    }
  },

  *"a webhook with an interrupted change is sent in full by the next up, or recorded as unconfirmed"(run) {
    const { kind, interrupted, calls, outcome, program, after } = run;
    if (kind !== "up" || interrupted === undefined || interrupted.id === outcome.interrupted?.id) return;
    for (const { resource, id, outputs } of after.records.filter(isOpen)) {
      const isNew = createsByResource(calls).has(resource);
      const isIt = id === interrupted.id && resource === interrupted.resource;
      if (!isIt || !program.has(resource) || isNew) continue;
      const isSent = isUpdated(calls, id);
      const webhook = after.webhooks.get(id);
      const isAsRecorded = FIELDS.every((field) => outputs[field] === webhook?.[field]);
      if (outcome.ok && !isSent) yield `${resource}: ${id}, and nothing was sent`;
      if (isSent && !isAsRecorded && !outputs.unconfirmed) yield `${resource}: ${id}, ${show(outputs)}`;
    }
  },

  *"a replaced webhook is deleted only once its replacement exists"({ kind, before, after, program }) {
    if (kind !== "up") return;
    for (const { id, resource, provider } of before.records) {
      const declared = program.get(resource);
      if (!before.webhooks.has(id) || after.webhooks.has(id)) continue;
      if (declared === undefined || declared.deleteBeforeReplace) continue;
      // Its delete is another process's, which does not know what became of the create: see the limits.
      if (declared.provider !== provider) continue;
      // A destroy that failed midway has dropped the rest.
      const old = currentOf(before.records, resource);
      if (old === undefined) continue;
      // It was replaced by an earlier run, and its replacement may have been deleted in the dashboard since.
      if (old.id !== id && !isInDoubt(old)) continue;
      const own = after.records.filter((record) => record.resource === resource);
      const isReplaced = own.some((record) => after.webhooks.has(record.id));
      const current = currentOf(own, resource);
      if (!isReplaced && (current === undefined || isInDoubt(current))) yield `${resource}: ${id}`;
    }
  },

  *"a replaced webhook is deleted if its replacement exists"(run) {
    const { isElsewhere, calls, before, after, outcome } = run;
    // A delete may have waited for the rate limit until it was too late.
    if (isElsewhere || calls.some(({ status }) => status === 429 || status === 503)) return;
    // The body of a request that was reset at once is not read.
    const sent = calls.filter(({ operation }) => operation === "delete").map(({ body }) => body);
    for (const id of outcome.notDeleted ?? []) {
      if (sent.some((body) => body === undefined || Object(body).webhook_id === id)) continue;
      const { resource } = before.records.find((record) => record.id === id) ?? {};
      const { id: currentId = "", initErrors = [] } = currentOf(after.records, resource ?? "") ?? {};
      const isThere = currentId !== id && initErrors.length === 0 && after.webhooks.has(currentId);
      if (isThere) yield `${resource}: ${id}, replaced by ${currentId}`;
    }
  },

  *"a preview sends nothing, nor does a refresh that does not probe"({ kind, calls, probes }) {
    if ((kind === "preview" || (kind === "refresh" && !probes)) && calls.length > 0) yield describe(calls);
  },

  *"neither the key nor a secret is shown"({ outcome }) {
    yield* outcome.lines.filter((line) => /canary|Y2FuYX|NhbmFye|jYW5hcn/i.test(line));
  },
};

/** Checks all promises. @throws Violation that names the broken promise, with the evidence. */
export function checkInvariants(run: Run): void {
  for (const [promise, findEvidence] of Object.entries(INVARIANTS)) {
    const [found] = findEvidence(run);
    if (found !== undefined) throw new Violation(`Broken: ${promise}. Seen: ${found}`);
  }
}

const isOpen = (record: Recorded) => !record.delete && !record.pendingReplacement;

function createsByResource(calls: readonly SentCall[]): Map<string, SentCall[]> {
  const creates = new Map<string, SentCall[]>();
  for (const call of calls) {
    const { operation, resource } = call;
    if (operation !== "create" || resource === undefined) continue;
    creates.set(resource, [...(creates.get(resource) ?? []), call]);
  }
  return creates;
}

/** Reports whether a request was rightly sent by the id of an earlier webhook, at an API that uses ids again. */
function isOfEarlierWebhook(
  run: Run,
  { operation, id, owner }: { operation: string; id: string; owner: string },
) {
  const { kind, before, after, program, outcome, usesIdsAgain } = run;
  if (!usesIdsAgain) return false;
  // A limit: only the reply shows that an update changed another webhook. The update fails then.
  if (operation === "update") return !outcome.ok;
  const { createdAt } = before.webhooks.get(id) ?? {};
  const { createdAt: createdLater } = after.webhooks.get(id) ?? {};
  const wasBeforeCreate = createdAt !== undefined && createdLater !== undefined && createdAt !== createdLater;
  // A webhook in doubt has no id yet that could protect it.
  const isInDoubt = doubtsOf(before.records, owner).length > 0;
  const isOver = kind === "destroy" || !program.has(owner) || currentOf(after.records, owner)?.id !== id;
  return wasBeforeCreate || isInDoubt || isOver;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function describe(calls: readonly Call[]): string {
  return calls
    .map(({ operation, status, fault, committed }) =>
      [operation, fault, committed ? "committed" : "no effect", `-> ${status ?? "no reply"}`].join(" "),
    )
    .join("; ");
}

/** Leaves out the stored text. */
function show(value: unknown): string {
  const { __provider, ...rest } = Object(value);
  return JSON.stringify(rest);
}
