import type { Call, StoredWebhook } from "../../../src/simulator/index.js";
import type { Declaration, Outcome, Recorded } from "./engine.js";

/** A run of the engine, and all that could be seen of it. */
export interface Run {
  kind: "up" | "preview" | "refresh" | "destroy";
  program: ReadonlyMap<string, Declaration>;
  replace: ReadonlySet<string>;
  /** Whether the settings let a refresh probe. */
  probes: boolean;
  before: Seen;
  after: Seen;
  /** What the API was asked, oldest first. */
  calls: readonly Call[];
  outcome: Outcome;
  /** Whose each webhook at the API is: of the resource that it was created for, or adopted by. */
  owners: ReadonlyMap<string, string>;
}

interface Seen {
  records: readonly Recorded[];
  webhooks: ReadonlyMap<string, StoredWebhook>;
}

/** What the API keeps of a webhook and an update sends. */
export const FIELDS = ["url", "name", "enabled"] as const;

/** A promise that was broken, and what was seen. */
export class Violation extends Error {
  override readonly name = "Violation";
}

export const isInDoubt = ({ id }: Pick<Recorded, "id">) => id.startsWith("in-doubt:");

/** The ids, as recorded, of a resource's webhooks in doubt. */
export function doubtsOf(records: readonly Recorded[], resource: string): string[] {
  return records.filter((record) => record.resource === resource && isInDoubt(record)).map(({ id }) => id);
}

/** The record that a resource goes by; others of its records wait for their deletion. */
export function currentOf(records: readonly Recorded[], resource: string): Recorded | undefined {
  return records.find((record) => record.resource === resource && !record.delete);
}

/** The model's urls tell whose webhook it is. */
export const resourceOf = (url: unknown) => /^https:\/\/example\.com\/([^/]+)\//.exec(String(url))?.[1];

/** The webhooks of a resource that exist and are in no record. */
export function unrecorded({ records, webhooks }: Seen, owners: Run["owners"], resource: string): string[] {
  const ids = new Set(records.map(({ id }) => id));
  return [...webhooks.keys()].filter((id) => owners.get(id) === resource && !ids.has(id));
}

/** What holds after every run, whatever went wrong in it. */
const INVARIANTS: Record<string, (run: Run) => Iterable<string>> = {
  *"a webhook of ours is in the state, or its resource is in doubt"({ before, after, owners }) {
    for (const resource of new Set(owners.values())) {
      const lost = unrecorded(after, owners, resource);
      // One that was dropped in this run was named in a warning: see below.
      const inDoubt = new Set(doubtsOf(after.records, resource).concat(doubtsOf(before.records, resource)));
      if (lost.length > inDoubt.size) yield `${resource}: ${lost} for ${inDoubt.size} in doubt`;
    }
  },

  *"a run creates no more than one webhook for a resource"({ calls }) {
    for (const [resource, creates] of createsByResource(calls)) {
      const committed = creates.filter((call) => call.committed);
      if (committed.length > 1) yield `${resource}: ${describe(committed)}`;
    }
  },

  *"a create is sent again only where it was surely not processed"({ calls }) {
    for (const [resource, creates] of createsByResource(calls)) {
      const again = creates.slice(0, -1);
      const processed = again.filter(
        ({ status, committed }) => committed || (status !== 429 && status !== 503),
      );
      if (processed.length > 0) yield `${resource}: ${describe(creates)}`;
    }
  },

  *"a create without any reply is recorded in doubt"({ calls, before, after }) {
    const creates = calls.filter(({ operation }) => operation === "create");
    const unanswered = creates.filter(({ status }) => status === undefined);
    const old = new Set(before.records.map(({ id }) => id));
    const doubts = after.records.filter((record) => isInDoubt(record) && !old.has(record.id));
    if (unanswered.length > doubts.length) yield `${describe(unanswered)} and ${doubts.length} in doubt`;
    if (doubts.length > creates.length) yield `${doubts.length} in doubt after ${describe(creates)}`;
  },

  *"a webhook in doubt is not created again before a person has decided"(run) {
    const { before, program, replace, calls } = run;
    for (const { resource } of before.records.filter((record) => isInDoubt(record) && isOpen(record))) {
      const decided = replace.has(resource) || program.get(resource)?.import !== undefined;
      const creates = createsByResource(calls).get(resource) ?? [];
      if (!decided && creates.length > 0) yield `${resource}: ${describe(creates)}`;
    }
  },

  *"a webhook in doubt is reported until it is settled, and named when it is dropped"(run) {
    const { kind, before, after, outcome, program } = run;
    const text = outcome.lines.join("\n");
    const old = new Set(before.records.map(({ id }) => id));
    for (const record of after.records.filter((one) => isInDoubt(one) && isOpen(one))) {
      if (kind === "up" && outcome.ok) yield `${record.resource} is in doubt, and the up succeeded`;
      if (!old.has(record.id) && !text.includes(record.id)) yield `${record.resource}: nothing tells of it`;
    }
    const left = new Set(after.records.filter(isOpen).map(({ id }) => id));
    for (const { id, resource } of before.records.filter(
      (one) => isInDoubt(one) && !one.pendingReplacement,
    )) {
      if (left.has(id) || after.records.some((one) => one.id === id && one.delete)) continue;
      const adopted = currentOf(after.records, resource)?.id === program.get(resource)?.import;
      if (!adopted && !text.includes(`${id} (`)) yield `${resource}: ${id} was dropped without a word`;
    }
  },

  *"what is newly recorded is what the API took"({ kind, before, after }) {
    for (const { resource, id, outputs } of after.records.filter((record) => !isInDoubt(record))) {
      const isOld = before.records.some(
        (old) => old.id === id && FIELDS.every((field) => old.outputs[field] === outputs[field]),
      );
      const webhook = after.webhooks.get(id);
      if (webhook === undefined || isOld) continue;
      // No reply ever tells the url.
      const told =
        kind === "refresh" ? (["name", "enabled"] as const) : (["url", "name", "enabled"] as const);
      const differs = told.filter((field) => outputs[field] !== webhook[field]);
      if (differs.length > 0) yield `${resource}: ${differs} of ${show(outputs)} against ${show(webhook)}`;
    }
  },

  *"an update sends url, name and enabled, and a probe nothing but the id"({ kind, calls }) {
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

  *"a webhook of somebody else is not touched"({ before, after, owners, program }) {
    const imports = new Set([...program.values()].map((declaration) => declaration.import));
    for (const [id, { updatedAt }] of before.webhooks) {
      if (owners.has(id) || imports.has(id)) continue;
      if (after.webhooks.get(id)?.updatedAt !== updatedAt) yield `${id}: ${show(after.webhooks.get(id))}`;
    }
  },

  *"a webhook is deleted only where it left the program or is replaced"(run) {
    const { kind, before, after, program, replace, outcome } = run;
    for (const id of before.webhooks.keys()) {
      if (after.webhooks.has(id) || kind === "destroy") continue;
      for (const old of before.records.filter((record) => record.id === id && isOpen(record))) {
        const declared = program.get(old.resource);
        if (declared === undefined || replace.has(old.resource)) continue;
        if (declared.secret === old.outputs.secret) yield `${old.resource}: ${id}`;
      }
      const owner = after.records.find((record) => record.id === id && isOpen(record));
      if (owner !== undefined && outcome.ok) yield `${owner.resource}: ${id}, and it stays recorded`;
    }
  },

  *"a preview sends nothing, nor does a refresh that does not probe"({ kind, calls, probes }) {
    if ((kind === "preview" || (kind === "refresh" && !probes)) && calls.length > 0) yield describe(calls);
  },

  *"neither the key nor a secret is shown"({ outcome }) {
    yield* outcome.lines.filter((line) => /canary|Y2FuYX|NhbmFye|jYW5hcn/i.test(line));
  },
};

/** @throws Violation that names the promise and what broke it. */
export function checkInvariants(run: Run): void {
  for (const [promise, broken] of Object.entries(INVARIANTS)) {
    const [found] = broken(run);
    if (found !== undefined) throw new Violation(`Broken: ${promise}. Seen: ${found}`);
  }
}

const isOpen = (record: Recorded) => !record.delete && !record.pendingReplacement;

function createsByResource(calls: readonly Call[]): Map<string, Call[]> {
  const creates = new Map<string, Call[]>();
  for (const call of calls) {
    const resource = call.operation === "create" ? resourceOf(Object(call.body).url) : undefined;
    if (resource !== undefined) creates.set(resource, [...(creates.get(resource) ?? []), call]);
  }
  return creates;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function describe(calls: readonly Call[]): string {
  return calls
    .map(({ operation, status, fault, committed }) =>
      [operation, fault, committed ? "committed" : "no effect", `-> ${status ?? "no reply"}`].join(" "),
    )
    .join("; ");
}

/** Without the stored text, which says nothing here. */
function show(value: unknown): string {
  const { __provider, ...rest } = Object(value);
  return JSON.stringify(rest);
}
