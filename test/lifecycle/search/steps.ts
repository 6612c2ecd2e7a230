import type { UnresolvedCreate } from "../../../src/stack/unresolved.js";
import type { Fault } from "./api.js";
import { FAULTS } from "./api.js";
import type { RunOptions } from "./engine.js";
import type { Declaration, State } from "./state.js";
import { ARGS, firstSecret, nameOf, otherSecret, urnOf } from "./state.js";
import type { Seen, World } from "./world.js";

/** A step of a history: what a person does, and what goes wrong. */
export type Step = RunStep | ResolveStep | { kind: "go to another machine" };

/** A run of the engine. Only an up has an edit or options. */
export interface RunStep {
  kind: "up" | "refresh" | "destroy";
  edit?: Edit | undefined;
  options?: RunOptions;
  fault?: Fault;
}

/** A run of the command resolve. */
export interface ResolveStep {
  kind: "resolve";
  found?: string[];
  none?: string[];
  record?: boolean;
  /** Whether an answer is not what the dashboard shows. */
  isWrong?: true;
  fault?: Fault;
}

/** A change of the program. */
export interface Edit {
  what: keyof typeof EDITS;
  name: string;
  /** The new name, or the id to import. */
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
  "drop the import": ({ import: _, alias, ...old }) => old,
} satisfies Record<string, (old: Declaration, edit: Pick<Edit, "name" | "to">) => Declaration | undefined>;

/** The name to which the first webhook is renamed. */
const RENAMED = "c";

/** Lists the steps that can follow in a state, each without a fault. @param names those that the program declares at first. */
export function* stepsOf(world: World, names: readonly string[]): Generator<Step> {
  const { state } = world;
  for (const edit of editsOf(state, names)) yield { kind: "up", edit };
  yield { kind: "refresh" };
  yield { kind: "destroy" };
  if (state.notes.length > 0) yield { kind: "go to another machine" };
  const asked = world.unresolved();
  if (asked.length > 0 || state.stack.deployment.pending_operations.length > 0)
    yield { kind: "resolve", record: true };
  if (asked.length > 0) yield truth(world);
  yield* wrongAnswers(world, asked);
}

/** Lists the mistakes of a person: the id of a stranger's webhook, of none, that of another question, and that there is none. */
function* wrongAnswers(world: World, asked: readonly UnresolvedCreate[]): Generator<Step> {
  const { webhooks } = world.state;
  const foreign = webhooks.filter(({ creator }) => creator === undefined);
  const found = truth(world).found ?? [];
  for (const { urn } of asked) {
    const right = found.find((answer) => answer.startsWith(`${urn}=`));
    if (right !== undefined) yield { kind: "resolve", none: [urn], isWrong: true };
    const others = found.filter((answer) => answer !== right).map((answer) => answer.split("=")[1] ?? "");
    for (const id of [...foreign.map((webhook) => webhook.id), ...others, "wh-9"])
      yield { kind: "resolve", found: [`${urn}=${id}`], isWrong: true };
  }
  const [first, second] = found.map((answer) => answer.split("="));
  if (first !== undefined && second !== undefined)
    yield {
      kind: "resolve",
      found: [`${first[0]}=${second[1]}`, `${second[0]}=${first[1]}`],
      isWrong: true,
    };
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
    const foreign = webhooks.find(({ creator }) => creator === undefined);
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
  return what.startsWith("rename") ? { ...others, [to]: declared } : { ...program, [name]: declared };
}

/** Takes a step. */
export async function take(world: World, step: Step): Promise<Seen> {
  const { state } = world;
  if (step.kind === "go to another machine") {
    world.enter({ ...state, notes: [] });
    return { ok: true, lines: [], changes: 0, calls: [] };
  }
  if (step.kind === "resolve") return world.resolve(step);
  if (step.edit !== undefined) state.program = change(state, step.edit);
  return world.run(step);
}

/** Drops the aliases that have done their work, as a person does. */
export function dropAliases({ program, stack }: State): void {
  const { resources, pending_operations: pending } = stack.deployment;
  const known = [...resources, ...pending.map(({ resource }) => resource)].map(({ urn }) => urn);
  for (const declared of Object.values(program)) {
    if (declared.alias !== undefined && !known.includes(urnOf(declared.alias))) delete declared.alias;
  }
}

/** Answers all that is unresolved, as the dashboard shows it. */
export function truth(world: World): ResolveStep {
  const { webhooks, stack } = world.state;
  const recorded = new Set(stack.deployment.resources.map(({ id }) => id));
  const [found, none]: string[][] = [[], []];
  for (const { urn } of world.unresolved()) {
    const webhook = webhooks.findLast(({ id, creator }) => creator === urn && !recorded.has(id));
    if (webhook === undefined) none?.push(urn);
    else found?.push(`${urn}=${webhook.id}`);
  }
  return { kind: "resolve", ...(found?.length && { found }), ...(none?.length && { none }) };
}

/** Lists the same step with each fault that its requests can have, once it was seen without. */
export function* faultsOf(step: Step, { calls }: Seen, after: State): Generator<Step> {
  if (step.kind === "go to another machine") return;
  const isUp = step.kind === "up";
  const declared = Object.keys(after.program).map(urnOf);
  const hasOthers =
    after.webhooks.filter(({ creator = "", isExcused }) => declared.includes(creator) && !isExcused).length >
    1;
  for (const [request, { operation, isProbe }] of calls.entries()) {
    for (const kind of FAULTS[operation]) {
      // The command that sends it is not one of the engine's processes.
      if (step.kind === "resolve" && kind.includes("killed")) continue;
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
        yield { ...step, fault, options: { isParallel: true } };
      }
    }
  }
}

/** Writes a step in one line. */
export function describeStep({ kind, ...details }: Step): string {
  return `${kind} ${JSON.stringify(details).replace(/urn:[^"]*::/g, "")}`;
}
