import { isInDoubt } from "../../../src/record/in-doubt-id.js";
import { FAULTS, type Fault } from "./api.js";
import type { RunOptions } from "./engine.js";
import { answer } from "./person.js";
import {
  ARGS,
  type Declaration,
  firstSecret,
  nameOf,
  otherSecret,
  PROVIDERS,
  providerOf,
  type State,
  shownId,
  tick,
  urnOf,
  webhookOf,
} from "./state.js";
import type { Seen, World } from "./world.js";

/** A step of a history: what a person does, and what goes wrong. */
export type Step =
  | RunStep
  | ResolveStep
  | { kind: "go to the other machine" }
  | { kind: "state delete" | "state move" | "delete in the dashboard"; name: string }
  | { kind: "move it back" };

/** A run of the engine. Only an up has an edit or options. */
export interface RunStep {
  kind: "up" | "refresh" | "destroy";
  edit?: Edit | undefined;
  /** The program that the edit before has changed. */
  revert?: State["program"];
  options?: RunOptions;
  fault?: Fault;
}

/** A run of the command resolve. */
export interface ResolveStep {
  kind: "resolve";
  /** All that is asked, or these. */
  none?: true | readonly string[];
  record?: true;
  /**
   * What the person does first in the dashboard: deletes what the command asks for; or looks too briefly, and leaves it there; or
   * also deletes what the command would record, and names all.
   */
  person?: "follows the text" | "leaves it" | "deletes all";
}

/** A change of the program. */
export interface Edit {
  what: keyof typeof EDITS;
  name: string;
  /** The new name, the id to import, or the Provider. */
  to?: string;
}

/** What becomes of a declaration that the program has, under its old or a new name. None: it is removed. */
const EDITS = {
  declare: (old) => old,
  change: (old) => ({ ...old, enabled: !old.enabled }),
  rotate: (old) => ({ ...old, secret: otherSecret(old.secret) }),
  remove: () => undefined,
  rename: ({ alias, ...old }) => old,
  "rename with an alias": (old, { name }) => ({ ...old, alias: name }),
  "rename with an alias and rotate": (old, { name }) => ({
    ...old,
    alias: name,
    secret: otherSecret(old.secret),
  }),
  import: (old, { to = "" }) => ({ ...old, import: to }),
  "import, also in a copy": (old, { to = "" }) => ({ ...old, import: to }),
  copy: (old) => old,
  "move, renamed with an alias": (old, { name, to = "" }) => ({ ...old, alias: name, provider: to }),
  move: (old, { to = "" }) => ({ ...old, provider: to }),
  "move and rotate": (old, { to = "" }) => ({ ...old, provider: to, secret: otherSecret(old.secret) }),
  "drop the import": ({ import: _, alias, ...old }) => old,
} satisfies Record<string, (old: Declaration, edit: Pick<Edit, "name" | "to">) => Declaration | undefined>;

/** The name to which the first webhook is renamed. */
const RENAMED = "c";

/** The name of the copy of a declaration. Its Provider is another one with the same account. */
const COPY = "eu-copy";

/** Lists what happens on an ordinary day, without a fault. @param before the program before the last step. */
export function* ordinaryStepsOf(
  { state }: World,
  names: readonly string[],
  before?: State["program"],
): Generator<Step> {
  const { program, stack, drift, lastIds } = state;
  // A limit: if both accounts number alike, nothing shows a wrong key before the reply.
  const isAlike = (lastIds["other/"] ?? 0) < 500;
  for (const edit of [...editsOf(state, [...names, COPY]), ...accountEditsOf(state)]) {
    // A limit: of a resource that an alias renames, only the last request shows the Provider, which a wrong key may have sent.
    if (edit?.what.includes("rename") && (edit.what.startsWith("rename") || !isAlike)) continue;
    yield { kind: "up", edit };
    if (drift === "off" && !isAlike) yield { kind: "up", edit, options: { hasWrongKey: true } };
  }
  if (before !== undefined) yield { kind: "up", revert: before };
  yield { kind: "destroy" };
  if (drift === "off") return;
  yield { kind: "refresh" };
  for (const name of Object.keys(program))
    if (stack.deployment.resources.some(({ urn }) => urn === urnOf(state, name)))
      yield { kind: "delete in the dashboard", name };
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
export function* stepsOf(world: World, names: readonly string[]): Generator<Step> {
  const { state } = world;
  for (const edit of editsOf(state, names)) yield { kind: "up", edit };
  yield { kind: "refresh" };
  yield { kind: "destroy" };
  yield* stateSteps(state);
  if (state.notes.length + state.elsewhere.length > 0) yield { kind: "go to the other machine" };
  const asked = world.unresolved();
  // A limit: if all webhooks are excluded, nothing is checked, as in a destroy.
  const declared = Object.keys(state.program);
  const [first] = declared.filter((name) =>
    state.stack.deployment.resources.some(({ urn }) => urn === urnOf(state, name)),
  );
  if (first !== undefined && (asked.length === 0 || declared.length > 1))
    yield { kind: "up", options: { exclude: first } };
  const isKilled = asked.length + state.stack.deployment.pending_operations.length + state.notes.length > 0;
  if (isKilled) yield { kind: "resolve", record: true };
  if (asked.length === 0) return;
  yield TRUTH;
  yield { ...TRUTH, person: "leaves it" };
  if (asked.some(({ made }) => made !== undefined)) yield { ...TRUTH, person: "deletes all" };
}

/** Lists what a person does to the state itself: it must have the webhook once, and no run may have been killed. */
function* stateSteps(state: State): Generator<Step> {
  const { stack, moved, program } = state;
  const { resources, pending_operations: pending } = stack.deployment;
  if (pending.length > 0) return;
  for (const [name, { import: importId }] of Object.entries(program)) {
    const records = resources.filter(({ urn }) => urn === urnOf(state, name));
    if (records.length !== 1 || isInDoubt(records[0]?.id ?? "") || importId !== undefined) continue;
    yield { kind: "state delete", name };
    if (moved.length === 0) yield { kind: "state move", name };
  }
  const [one] = moved;
  if (one !== undefined && !resources.some(({ urn }) => urn === one.record.urn))
    yield { kind: "move it back" };
}

/** A person deletes what is there, and answers none for all. */
export const TRUTH: ResolveStep = { kind: "resolve", none: true, person: "follows the text" };

/** Changes the state as Pulumi's commands do. What leaves the stack is somebody else's from then on. */
function moveRecord(state: State, step: Extract<Step, { name: string }>): void {
  const { program, stack, moved } = state;
  const { [step.name]: declared, ...others } = program;
  const recorded = (name = "") =>
    stack.deployment.resources.find((record) => record.urn === urnOf(state, name));
  // The person knows which name a resource had before.
  const record = recorded(step.name) ?? recorded(declared?.alias);
  if (record === undefined || declared === undefined) return;
  stack.deployment.resources = stack.deployment.resources.filter((one) => one !== record);
  if (step.kind === "state move") moved.push({ record, declared });
  state.program = others;
  delete webhookOf(state, record)?.creator;
  stack.deployment.manifest.time = tick(state);
}

function moveBack(state: State): void {
  const [one] = state.moved.splice(0);
  if (one === undefined) return;
  const { record, declared } = one;
  state.stack.deployment.resources.push(record);
  state.program = { ...state.program, [nameOf(record.urn)]: declared };
  const webhook = webhookOf(state, record);
  if (webhook !== undefined) webhook.creator = record.urn;
  state.stack.deployment.manifest.time = tick(state);
}

function* editsOf(
  { program, webhooks, stack }: State,
  names: readonly string[],
): Generator<Edit | undefined> {
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

/** Takes a step. */
export async function take(world: World, step: Step): Promise<Seen> {
  const { state } = world;
  switch (step.kind) {
    case "go to the other machine":
      world.enter({ ...state, notes: state.elsewhere, elsewhere: state.notes });
      return NOTHING;
    case "state delete":
    case "state move":
      moveRecord(state, step);
      return NOTHING;
    case "delete in the dashboard":
      state.webhooks = state.webhooks.filter(({ id, creator }) => {
        if (creator === urnOf(state, step.name)) state.gone.push(id);
        return !state.gone.includes(id);
      });
      return NOTHING;
    case "move it back":
      moveBack(state);
      return NOTHING;
    case "resolve":
      return step.none ? answer(world, step) : world.resolve(step);
    default:
      if (step.edit !== undefined) state.program = change(state, step.edit);
      if (step.revert !== undefined) state.program = step.revert;
      return world.run(step);
  }
}

const NOTHING: Seen = { ok: true, lines: [], changes: 0, calls: [] };

/** Drops the aliases that have done their work, as a person does. */
export function dropAliases(state: State): void {
  const { program, stack } = state;
  const { resources, pending_operations: pending } = stack.deployment;
  const known = [...resources, ...pending.map(({ resource }) => resource)].map(({ urn }) => urn);
  for (const declared of Object.values(program)) {
    if (declared.alias !== undefined && !known.includes(urnOf(state, declared.alias))) delete declared.alias;
  }
}

/** Lists the same step with each fault that its requests can have, once it was seen without. */
export function* faultsOf(step: Step, { calls }: Seen, after: State): Generator<Step> {
  if (step.kind !== "up" && step.kind !== "refresh" && step.kind !== "destroy") return;
  const isUp = step.kind === "up";
  const declared = Object.keys(after.program).map((name) => urnOf(after, name));
  const hasOthers =
    after.webhooks.filter(({ creator = "", isExcused }) => declared.includes(creator) && !isExcused).length >
    1;
  for (const [request, { operation, isProbe }] of calls.entries()) {
    for (const kind of FAULTS[operation]) {
      // A probe believes the reply.
      if (isProbe && kind === "contradicting reply") continue;
      if (kind === "reply with an existing webhook") {
        // A limit: the process knows the webhooks of the resources that are declared, and were registered before.
        if (hasOthers && isUp)
          yield { ...step, fault: { kind, request, andLater: false }, options: { isParallel: true } };
        continue;
      }
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

/** Writes a step in one line. */
export function describeStep({ kind, ...details }: Step): string {
  return `${kind} ${JSON.stringify(details).replace(/urn:[^"]*::/g, "")}`;
}
