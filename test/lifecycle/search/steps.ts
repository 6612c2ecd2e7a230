import { KEYS, type KeyName, PROVIDERS, providerOf, shownId } from "./accounts.js";
import { FAULTS, type Fault } from "./api.js";
import type { RunOptions } from "./engine.js";
import { answer } from "./person.js";
import {
  firstSecret,
  isInDoubt,
  nameOf,
  otherSecret,
  ownId,
  recordsIn,
  urnOf,
  webhookOf,
} from "./records.js";
import { ARGS, type Declaration, type State, tick } from "./state.js";
import type { Reported, Seen, World } from "./world.js";

/** A step of a history: what a person does, and what goes wrong. */
export type Step =
  | RunStep
  | ResolveStep
  | { kind: "go to the other machine" }
  | { kind: "state delete"; name: string; id?: string | undefined; isAdvised?: true }
  | { kind: "delete in the dashboard"; id: string }
  | { kind: "restore a backup"; stack: State["stack"] };

/** A run of the engine. Only an up has an edit or options. */
export interface RunStep {
  kind: "up" | "refresh" | "destroy";
  edit?: Edit | undefined;
  /** The program that the edit before has changed. */
  revert?: State["program"];
  /** The key that the stack's config has from now on. */
  key?: KeyName;
  /** What a message has asked for before this run. */
  first?: Step[];
  options?: RunOptions;
  fault?: Fault;
}
export interface ResolveStep {
  kind: "resolve";
  none?: true | readonly string[];
  record?: true;
  /** What the person does first in the dashboard: deletes what is asked for, or overlooks it; or deletes all that is printed, and names it. */
  person?: "follows the text" | "leaves it" | "deletes all";
}
export interface Edit {
  what: keyof typeof EDITS;
  name: string;
  /** The new name, the id to import, or the Provider. */
  to?: string;
}

const rotated = (old: Declaration) => ({ ...old, secret: otherSecret(old.secret) });

/** What becomes of a declaration that the program has, under its old or a new name. None: it is removed. */
const EDITS = {
  declare: (old) => old,
  change: (old) => ({ ...old, enabled: !old.enabled }),
  "change the name": (old) => ({ ...old, name: old.name === ARGS.name ? "Renamed" : ARGS.name }),
  rotate: (old) => rotated(old),
  remove: () => undefined,
  rename: ({ alias, ...old }) => old,
  "rename with an alias": (old, { name }) => ({ ...old, alias: name }),
  "rename with an alias and rotate": (old, { name }) => ({ ...rotated(old), alias: name }),
  import: (old, { to = "" }) => ({ ...old, import: to }),
  "import, also in a copy": (old, { to = "" }) => ({ ...old, import: to }),
  copy: (old) => old,
  "move, renamed with an alias": (old, { name, to = "" }) => ({ ...old, alias: name, provider: to }),
  move: (old, { to = "" }) => ({ ...old, provider: to }),
  "move and rotate": (old, { to = "" }) => ({ ...rotated(old), provider: to }),
  "drop the import": ({ import: _, alias, ...old }) => old,
} satisfies Record<string, (old: Declaration, edit: Pick<Edit, "name" | "to">) => Declaration | undefined>;

/** The names of the first webhook once it is renamed, and of its copy, whose Provider is another one with the same account. */
const [RENAMED, COPY] = ["c", "eu-copy"];

type Names = readonly string[];

/** Lists what happens on an ordinary day: also a key that is rotated, or another account's. @param before what was before the last step. */
export function* ordinaryStepsOf(state: State, names: Names, before: State): Generator<Step> {
  for (const edit of [...editsOf(state, [...names, COPY]), ...accountEditsOf(state)])
    for (const key of edit?.what.includes("rename") ? [state.key] : (Object.keys(KEYS) as KeyName[]))
      yield { kind: "up", edit, key };
  yield { kind: "up", revert: before.program };
  yield { kind: "restore a backup", stack: before.stack };
  yield { kind: "destroy" };
  if (state.notes.length + state.elsewhere.length > 0) yield { kind: "go to the other machine" };
  if (state.drift !== "off") yield { kind: "refresh" };
  for (const record of recordsIn(state)) {
    const { id } = webhookOf(state, record) ?? {};
    if (id !== undefined) yield { kind: "delete in the dashboard", id };
  }
}

/** Lists the changes of the Providers of webhooks, and of imports that were copied. */
function* accountEditsOf({ program, webhooks, stack }: State): Generator<Edit> {
  for (const [name, { provider = providerOf(name), import: importId, alias }] of Object.entries(program)) {
    for (const to of PROVIDERS.filter((other) => other !== provider)) {
      yield { what: "move", name, to };
      yield { what: "move and rotate", name, to };
      if (!(RENAMED in program)) yield { what: "move, renamed with an alias", name, to };
    }
    if (COPY in program || provider !== "default" || alias !== undefined) continue;
    const { id } = stack.deployment.resources.find(({ urn }) => nameOf(urn) === name) ?? {};
    if (id !== undefined) yield { what: "copy", name, to: id };
    else if (importId === undefined && webhooks[0]?.id === "wh-100")
      yield { what: "import, also in a copy", name, to: "wh-100" };
  }
}

/** Lists the steps that can follow in a state, each without a fault. @param names those that the program declares at first. */
export function* stepsOf(state: State, names: Names, asked: readonly Reported[]): Generator<Step> {
  for (const edit of editsOf(state, names)) yield { kind: "up", edit };
  yield { kind: "refresh" };
  yield { kind: "destroy" };
  if (state.notes.length + state.elsewhere.length > 0) yield { kind: "go to the other machine" };
  const isKilled = asked.length + state.stack.deployment.pending_operations.length + state.notes.length > 0;
  if (isKilled) yield { kind: "resolve", record: true };
  if (asked.length === 0) return;
  yield TRUTH;
  yield { ...TRUTH, person: "leaves it" };
  if (asked.some(({ id }) => id !== undefined)) yield { ...TRUTH, person: "deletes all" };
}

/** A person deletes what is there, and answers none for all. */
export const TRUTH: ResolveStep = { kind: "resolve", none: true, person: "follows the text" };

/** Removes a record, as a message asks. Of several of a URN, Pulumi asks which. A copy leaves the program, too. */
function deleteRecord(state: State, { name, id, isAdvised }: Extract<Step, { name: string }>): void {
  const { [name]: _, ...others } = state.program;
  const { deployment } = state.stack;
  deployment.resources = deployment.resources.filter(
    (record) => record.urn !== urnOf(state, name) || (id ?? record.id) !== record.id,
  );
  deployment.manifest.time = tick(state);
  if (!isAdvised) state.program = others;
}

/** Restores a backup of the state, not the API. A person looks which webhooks are gone, and whether others differ. */
function restore(state: State, stack: State["stack"]): void {
  state.stack = structuredClone(stack);
  state.stack.deployment.pending_operations = [];
  for (const record of recordsIn(state)) {
    const webhook = webhookOf(state, record);
    if (webhook !== undefined) webhook.mayDiffer = true;
    else if (!isInDoubt(record)) state.gone.push(ownId(state, record));
  }
}

function* editsOf({ program, webhooks, stack }: State, names: Names): Generator<Edit | undefined> {
  yield undefined;
  for (const name of [...names, RENAMED]) {
    const isFirst = name === names[0];
    const declared = program[name];
    if (declared === undefined) {
      if (name !== RENAMED && !(isFirst && RENAMED in program)) yield { what: "declare", name };
      continue;
    }
    const foreign = webhooks.find(({ id, creator }) => creator === undefined && shownId(id) === id);
    const isRecorded = stack.deployment.resources.some(({ urn }) => nameOf(urn) === name);
    if (isFirst && !isRecorded && declared.import === undefined && foreign !== undefined)
      yield { what: "import", name, to: foreign.id };
    for (const what of ["change", "rotate", "remove"] as const) yield { what, name };
    if (declared.import !== undefined) yield { what: "drop the import", name };
    const to = name === RENAMED ? (names[0] ?? "") : RENAMED;
    if (to in program || !(isFirst || name === RENAMED)) continue;
    yield { what: "rename", name, to };
    yield { what: "rename with an alias", name, to };
    yield { what: "rename with an alias and rotate", name, to };
  }
}

function change(state: State, edit: Edit): State["program"] {
  const { program } = state;
  const { what, name, to = "" } = edit;
  const { [name]: old = { ...ARGS, secret: firstSecret(state) }, ...others } = program;
  const declared = EDITS[what](old, edit);
  if (declared === undefined) return others;
  if (what.endsWith("copy")) return { ...program, [name]: declared, [COPY]: { ...declared, import: to } };
  if (what.startsWith("rename")) return { ...others, [to]: declared };
  return what.includes("renamed") ? { ...others, [RENAMED]: declared } : { ...program, [name]: declared };
}
export async function take(world: World, step: Step): Promise<Seen> {
  const { state } = world;
  switch (step.kind) {
    case "go to the other machine":
      world.enter({ ...state, notes: state.elsewhere, elsewhere: state.notes });
      return NOTHING;
    case "state delete":
      deleteRecord(state, step);
      return NOTHING;
    case "delete in the dashboard":
      state.gone.push(step.id);
      state.webhooks = state.webhooks.filter(({ id }) => id !== step.id);
      return NOTHING;
    case "restore a backup":
      restore(state, step.stack);
      // A limit: a run that declares no webhook saves the state, and asks nothing before.
      return world.resolve({ kind: "resolve" });
    case "resolve":
      return step.none ? answer(world, step) : world.resolve(step);
    default:
      if (step.edit !== undefined) state.program = change(state, step.edit);
      if (step.revert !== undefined) state.program = step.revert;
      state.key = step.key ?? state.key;
      for (const one of step.first ?? []) await take(world, one);
      return world.run(step);
  }
}

const NOTHING: Seen = { ok: true, lines: [], changes: 0, calls: [] };

/** Drops the aliases that have done their work, as a person does. */
export function dropAliases(state: State): void {
  const { program, stack } = state;
  const { resources, pending_operations: pending } = stack.deployment;
  const known = [...resources, ...pending.map(({ resource }) => resource)].map(({ urn }) => nameOf(urn));
  for (const declared of Object.values(program))
    if (!known.includes(declared.alias ?? "")) delete declared.alias;
}

/** Lists the same step with each fault that its requests can have, once it was seen without. */
export function* faultsOf(step: Step, { calls }: Seen, after: State): Generator<Step> {
  if (step.kind !== "up" && step.kind !== "refresh" && step.kind !== "destroy") return;
  const isUp = step.kind === "up";
  const declared = Object.keys(after.program).map((name) => urnOf(after, name));
  for (const [request, { operation, isProbe }] of calls.entries()) {
    for (const kind of FAULTS[operation]) {
      // A probe believes the reply.
      if (isProbe && kind === "contradicting reply") continue;
      const isLast = request === calls.length - 1;
      for (const andLater of isLast || kind.includes("killed") ? [false] : [false, true]) {
        const fault: Fault = { kind, request, andLater };
        yield { ...step, fault };
        if (!isUp || calls.length === 1) continue;
        if (!kind.startsWith("engine killed")) yield { ...step, fault, options: { continueOnError: true } };
        // The steps of one resource follow each other in any case.
        if (declared.length > 1) yield { ...step, fault, options: { isParallel: true } };
      }
    }
  }
}
export function describeStep({ kind, ...details }: Step): string {
  const shown = JSON.stringify(details, (name, value) => (name === "stack" ? undefined : value));
  return `${kind} ${shown.replace(/urn:[^"]*::/g, "")}`;
}
