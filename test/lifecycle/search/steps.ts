import type { Fault, FaultKind } from "./api.js";
import { FAULTS } from "./api.js";
import type { RunOptions } from "./engine.js";
import type { Declaration, State } from "./state.js";
import { firstSecret, nameOf, SECRETS, urnOf } from "./state.js";
import type { Seen, World } from "./world.js";

/** A change of the program. */
export interface Edit {
  what:
    | "declare"
    | "change"
    | "rotate"
    | "remove"
    | "rename"
    | "rename with an alias"
    | "import"
    | "drop the import";
  name: string;
  /** The new name, or the id to import. */
  to?: string;
}

/** A step of a history: what a person does, and what goes wrong. */
export type Step =
  | { kind: "up"; edit?: Edit | undefined; options?: RunOptions; fault?: Fault | undefined }
  | { kind: "refresh" | "destroy"; fault?: Fault | undefined }
  | {
      kind: "resolve";
      found?: string[];
      none?: string[];
      record?: boolean;
      isWrong?: true;
      deleted?: string[];
    }
  | { kind: "go to another machine" };

export type Args = Pick<Declaration, "url" | "name" | "enabled">;

/** The logical names that a program of the search declares, and the one to which a resource is renamed. */
export interface Names {
  names: readonly string[];
  renamed: string;
}

/** Lists the changes of a program. */
function* editsOf(
  { program, webhooks, stack }: State,
  { names, renamed }: Names,
): Generator<Edit | undefined> {
  const { resources } = stack.deployment;
  yield undefined;
  for (const name of [...names, renamed]) {
    const declared = program[name];
    if (declared === undefined) {
      if (name !== renamed && !(name === names[0] && renamed in program)) yield { what: "declare", name };
      continue;
    }
    const foreign = webhooks.find(({ creator }) => creator === undefined);
    const isRecorded = resources.some(({ urn }) => nameOf(urn) === name);
    if (name === names[0] && !isRecorded && declared.import === undefined && foreign !== undefined) {
      yield { what: "import", name, to: foreign.id };
    }
    for (const what of ["change", "rotate", "remove"] as const) yield { what, name };
    if (declared.import !== undefined) yield { what: "drop the import", name };
    const to = name === renamed ? (names[0] ?? "") : renamed;
    if (to in program || (name !== names[0] && name !== renamed)) continue;
    yield { what: "rename", name, to };
    yield { what: "rename with an alias", name, to };
  }
}

function edit(state: State, { what, name, to = "" }: Edit, args: Args): State["program"] {
  const { program } = state;
  const { [name]: old, ...others } = program;
  if (old === undefined) return { ...program, [name]: { ...args, secret: firstSecret(state) } };
  const { import: id, alias, ...declared } = old;
  switch (what) {
    case "change":
      return { ...program, [name]: { ...old, enabled: !old.enabled } };
    case "rotate":
      return { ...program, [name]: { ...old, secret: old.secret === SECRETS.a ? SECRETS.b : SECRETS.a } };
    case "import":
      return { ...program, [name]: { ...old, import: to } };
    case "drop the import":
      return { ...program, [name]: declared };
    case "rename":
      return { ...others, [to]: { ...declared, ...(id !== undefined && { import: id }) } };
    case "rename with an alias":
      return { ...others, [to]: { ...old, alias: name } };
    default:
      return others;
  }
}

/** Takes a step. */
export async function take(world: World, step: Step, args: Args): Promise<Seen> {
  const { state } = world;
  if (step.kind === "up" && step.edit !== undefined) state.program = edit(state, step.edit, args);
  if (step.kind === "go to another machine") {
    world.enter({ ...state, notes: [] });
    return { ok: true, lines: [], changes: 0, calls: [] };
  }
  if (step.kind === "resolve") {
    const { kind, isWrong, deleted = [], ...answers } = step;
    state.webhooks = state.webhooks.filter(
      ({ id, creator }) => creator === undefined || !deleted.includes(id),
    );
    return world.resolve(answers);
  }
  return world.run(step.kind, step.kind === "up" ? step.options : {}, step.fault);
}

/** Drops the aliases that have done their work, as a person does. */
export function dropAliases({ program, stack }: State): void {
  const { resources, pending_operations: pending } = stack.deployment;
  const known = [...resources, ...pending.map(({ resource }) => resource)].map(({ urn }) => urn);
  for (const declared of Object.values(program)) {
    if (declared.alias !== undefined && !known.includes(urnOf(declared.alias))) delete declared.alias;
  }
}

/** Returns the records that resources go by now. */
function current({ stack }: State) {
  return stack.deployment.resources.filter(({ delete: isReplaced }) => !isReplaced);
}

/** Lists the steps that can follow in a state, each without faults. */
export function* stepsOf(world: World, names: Names): Generator<Step> {
  const { state } = world;
  for (const one of editsOf(state, names)) yield { kind: "up", edit: one };
  yield { kind: "refresh" };
  yield { kind: "destroy" };
  if (state.notes.length > 0) yield { kind: "go to another machine" };
  const asked = world.unresolved();
  if (asked.length > 0 || state.stack.deployment.pending_operations.length > 0)
    yield { kind: "resolve", record: true };
  const foreign = state.webhooks.find(({ creator }) => creator === undefined);
  const entered = current(state).filter(({ outputs }) => outputs?.inDoubtId !== undefined);
  if (asked.length + entered.length > 0) yield truth(world);
  for (const { urn } of [...asked, ...entered]) {
    if (foreign !== undefined) yield { kind: "resolve", found: [`${urn}=${foreign.id}`], isWrong: true };
    yield { kind: "resolve", found: [`${urn}=wh-9`], isWrong: true };
  }
}

/** Answers all that is unresolved, and corrects the ids that were entered, as the dashboard shows it. */
export function truth(world: World): Step {
  const found: string[] = [];
  const none: string[] = [];
  const { webhooks, stack } = world.state;
  const recorded = new Set(stack.deployment.resources.map(({ id }) => id));
  const entered = current(world.state).filter(({ outputs }) => outputs?.inDoubtId !== undefined);
  const wrong = entered.filter(
    ({ urn, id }) => !webhooks.some((one) => one.id === id && one.creator === urn),
  );
  for (const { urn } of [...world.unresolved(), ...wrong]) {
    const webhook = webhooks.findLast(({ id, creator }) => creator === urn && !recorded.has(id));
    if (webhook === undefined) none.push(urn);
    else found.push(`${urn}=${webhook.id}`);
  }
  return { kind: "resolve", ...(found.length > 0 && { found }), ...(none.length > 0 && { none }) };
}

/** Lists the same step with each fault that its requests can have, once it was seen without. */
export function* faultsOf(step: Step, { calls }: Seen, hasOthers: boolean): Generator<Step> {
  if (step.kind !== "up" && step.kind !== "refresh" && step.kind !== "destroy") return;
  for (const [request, { operation, isProbe }] of calls.entries()) {
    for (const kind of FAULTS[operation]) {
      // A probe believes the reply.
      if (isProbe && kind === "contradicting reply") continue;
      if (kind === "reply with an existing webhook") {
        // A limit: the process knows the webhooks of the resources that were registered before.
        if (hasOthers && step.kind === "up")
          yield { ...step, fault: { kind, request, andLater: false }, options: { isParallel: true } };
        continue;
      }
      const later = request < calls.length - 1 && !kind.includes("killed") ? [false, true] : [false];
      for (const andLater of later) {
        const fault: Fault = { kind, request, andLater };
        if (step.kind !== "up") {
          yield { ...step, fault };
          continue;
        }
        yield { ...step, fault };
        if (calls.length > 1 && !goesDown(kind)) yield { ...step, fault, options: { continueOnError: true } };
        if (calls.length > 1) yield { ...step, fault, options: { isParallel: true } };
      }
    }
  }
}

const goesDown = (kind: FaultKind) => kind.startsWith("engine killed");

export function describeStep(step: Step): string {
  if (step.kind === "go to another machine") return step.kind;
  const short = (answers: string[] = []) => answers.map((answer) => nameOf(answer)).join(", ");
  if (step.kind === "resolve") {
    const { found, none, record, isWrong } = step;
    const parts = [record && "--record", found && `--found ${short(found)}`, none && `--none ${short(none)}`];
    return `resolve ${parts.filter(Boolean).join(" ")}${isWrong ? " (wrong)" : ""}`;
  }
  const { fault } = step;
  const parts: string[] = [step.kind];
  if (step.kind === "up") {
    const { edit, options = {} } = step;
    if (edit !== undefined) parts.unshift(`${edit.what} ${edit.name}${edit.to ? ` (${edit.to})` : ""},`);
    for (const [option, value] of Object.entries(options)) parts.push(`${option}=${value}`);
  }
  if (fault !== undefined)
    parts.push(`with "${fault.kind}" at request ${fault.request}${fault.andLater ? " and later" : ""}`);
  return parts.join(" ");
}
