import { hash } from "node:crypto";
import type { Taken } from "./invariants.js";
import { checkInvariants, checkSettled, excuse, recordsOf, Violation } from "./invariants.js";
import type { State } from "./state.js";
import { firstState, nameOf, toCanonical } from "./state.js";
import type { Names, Step } from "./steps.js";
import { describeStep, dropAliases, faultsOf, stepsOf, take, truth } from "./steps.js";
import type { Seen } from "./world.js";
import { World } from "./world.js";

const ARGS = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };

export interface SearchOptions extends Names {
  /** How many steps the longest history has. */
  depth: number;
  drift: "off" | "probe";
  /** Default: none. */
  maxCpuSeconds?: number;
}

/** What a search has counted. */
export interface Figures {
  /** The states at each depth that no shorter history reaches. */
  states: number[];
  /** The steps that were taken from them. */
  steps: number;
  /** The histories of at most so many steps. Many lead to the same state, which is visited once. */
  histories: number;
  /** The runs and commands that settled each state, on top. */
  settling: number;
  cpuSeconds: number;
  isComplete: boolean;
}

/** A state that was reached, and how. */
interface Node {
  text: string;
  parent: Node | undefined;
  step: Step | undefined;
  /** The numbers of the states that follow, with repetitions. */
  next: number[];
}

/**
 * Takes every step from every state, breadth first, each state once, and checks all promises after each.
 *
 * @throws Violation with the shortest history that breaks a promise.
 */
export async function search({
  depth,
  drift,
  maxCpuSeconds = Infinity,
  ...names
}: SearchOptions): Promise<Figures> {
  const started = process.cpuUsage();
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1e6;
  };
  const world = new World(drift);
  const first: Node = {
    text: JSON.stringify(firstState(names.names, ARGS)),
    parent: undefined,
    step: undefined,
    next: [],
  };
  const firstKey = keyOf(JSON.parse(first.text));
  const numbers = new Map([[firstKey, 0]]);
  const nodes = [first];
  const settled: Settled = { before: new Set([firstKey]), after: new Set() };
  const figures: Figures = {
    states: [1],
    steps: 0,
    histories: 0,
    settling: 0,
    cpuSeconds: 0,
    isComplete: true,
  };
  try {
    let begin = 0;
    for (let level = 1; level <= depth && figures.isComplete; level++) {
      const end = nodes.length;
      for (const node of nodes.slice(begin, end)) {
        if (cpuSeconds() > maxCpuSeconds) {
          figures.isComplete = false;
          break;
        }
        const follow = async (step: Step): Promise<Seen> => {
          const seen = await takeChecked(world, node, step);
          figures.steps++;
          const key = keyOf(world.state);
          const number = numbers.get(key) ?? nodes.length;
          node.next.push(number);
          if (number < nodes.length) return seen;
          numbers.set(key, number);
          const found = { text: JSON.stringify(world.state), parent: node, step, next: [] };
          nodes.push(found);
          if (!settled.before.has(key)) figures.settling += await settle(world, found, settled);
          settled.before.add(key);
          if (level === depth) found.text = "";
          return seen;
        };
        world.enter(JSON.parse(node.text));
        for (const step of [...stepsOf(world, names)]) {
          const seen = await follow(step);
          const created = world.state.webhooks.filter(({ creator, isExcused }) => creator && !isExcused);
          for (const failing of faultsOf(step, seen, created.length > 1)) await follow(failing);
        }
        if (node !== first) node.text = "";
      }
      begin = end;
      figures.states.push(nodes.length - end);
    }
  } finally {
    world.close();
  }
  figures.histories = countHistories(nodes, figures.states.length - 1);
  figures.cpuSeconds = cpuSeconds();
  return figures;
}

/** The states from which settling is known to succeed: before anything was done, and when it has been. */
interface Settled {
  before: Set<string>;
  after: Set<string>;
}

const keyOf = (state: State) => hash("sha1", toCanonical(state), "base64");

/** Takes one history, checks it as a search does, and settles it. @throws Violation if it breaks a promise. */
export async function replay(
  { names, drift }: Pick<SearchOptions, "names" | "drift">,
  steps: readonly Step[],
): Promise<void> {
  const world = new World(drift);
  try {
    let node: Node = {
      text: JSON.stringify(firstState(names, ARGS)),
      parent: undefined,
      step: undefined,
      next: [],
    };
    for (const step of steps) {
      await takeChecked(world, node, step);
      node = { text: JSON.stringify(world.state), parent: node, step, next: [] };
    }
    await settle(world, node);
  } finally {
    world.close();
  }
}

/** Takes a step from a state, and checks it. */
async function takeChecked(world: World, node: Node, step: Step): Promise<Seen> {
  world.state = JSON.parse(node.text);
  try {
    return (await takeStep(world, step)).seen;
  } catch (error) {
    throw new Violation(`${error}\n${await tell(world, node, [step])}`);
  }
}

async function takeStep(world: World, step: Step): Promise<Taken> {
  world.enter(world.state);
  const before = JSON.parse(JSON.stringify(world.state));
  const unresolvedBefore = world.unresolved();
  for (const webhook of world.state.webhooks) {
    if (isImported(step, before, webhook.id)) webhook.isClaimed = true;
  }
  const seen = await take(world, step, ARGS);
  const unresolvedAfter = world.unresolved();
  const taken = { step, seen, before, after: world.state, unresolvedBefore, unresolvedAfter };
  excuse(taken);
  checkInvariants(taken);
  dropAliases(world.state);
  return taken;
}

/** Reports whether the program imports a webhook. */
function isImported(step: Step, { program }: State, id: string): boolean {
  const edited = step.kind === "up" && step.edit?.what === "import" && step.edit.to === id;
  return edited || Object.values(program).some((declared) => declared.import === id);
}

/**
 * Settles a state as a person does who knows the dashboard: answers what is asked, runs one up, and follows what its messages
 * say. Then nothing is left to do, and a removal asks nothing.
 *
 * @returns how many steps that took.
 */
async function settle(
  world: World,
  node: Node,
  settled: Settled = { before: new Set(), after: new Set() },
): Promise<number> {
  const steps: Step[] = [];
  world.enter(JSON.parse(node.text));
  const next = async (step: Step) => {
    steps.push(step);
    return (await takeStep(world, step)).seen;
  };
  const demand = (condition: boolean, promise: string, { lines }: Seen) => {
    if (!condition) throw new Violation(`Not kept: ${promise}. ${lines.join(" | ")}`);
  };
  try {
    if (world.unresolved().length > 0) {
      const seen = await next(truth(world));
      demand(
        seen.ok && world.unresolved().length === 0,
        "resolve answers every case that closes the gate",
        seen,
      );
      const key = keyOf(world.state);
      if (settled.before.has(key)) return steps.length;
      settled.before.add(key);
    }
    let seen = await next({ kind: "up" });
    for (let again = 0; again < 4; again++) {
      const step = advice(world, seen);
      if (step === undefined) break;
      seen = await next(step);
      if (step.kind === "resolve") seen = await next({ kind: "up" });
    }
    demand(seen.ok, "one up settles what was resolved", seen);
    const key = keyOf(world.state);
    if (settled.after.has(key)) return steps.length;
    const plan = await world.run("preview");
    demand(plan.ok && plan.changes === 0, "after that the plan is empty", plan);
    checkSettled(world.state);
    world.state.program = {};
    seen = await next({ kind: "up" });
    demand(
      seen.ok && recordsOf(world.state).length === 0,
      "a removal after a settled history succeeds",
      seen,
    );
    checkSettled(world.state);
    demand(world.unresolved().length === 0, "a removal after a settled history asks nothing", seen);
    settled.after.add(key);
    return steps.length + 1;
  } catch (error) {
    throw new Violation(`${error}\n${await tell(world, node, steps)}`);
  }
}

/** What the messages of an up tell a person to do. @returns undefined if that is nothing. */
function advice(world: World, { ok, lines }: Seen): Step | undefined {
  const text = lines.join("\n");
  if (ok) return text.includes("must wait: run pulumi up again") ? { kind: "up" } : undefined;
  if (/no update has confirmed its id|If this message appears again/.test(text)) return dropUndeclared(world);
  if (text.includes("to correct the id")) return truth(world);
  const { program } = world.state;
  const replaced = Object.keys(program).filter((name) => new RegExp(`--replace '[^']*::${name}'`).test(text));
  if (replaced.length > 0) return { kind: "up", options: { replace: replaced } };
  const imported = Object.keys(program).find((name) => program[name]?.import !== undefined);
  if (imported !== undefined) return { kind: "up", edit: { what: "drop the import", name: imported } };
  return undefined;
}

/** Deletes the webhooks in the dashboard whose ids were entered, and that the program does not declare, and answers that there are none. */
function dropUndeclared({ state }: World): Step {
  const entered = recordsOf(state).filter(
    ({ urn, outputs }) => outputs?.inDoubtId !== undefined && !(nameOf(urn) in state.program),
  );
  if (entered.length === 0) return { kind: "up" };
  return { kind: "resolve", none: entered.map(({ urn }) => urn), deleted: entered.map(({ id = "" }) => id) };
}

/** Returns the first state of a history, and its steps. */
function historyOf({ text, parent, step }: Node): [first: string, steps: Step[]] {
  if (parent === undefined || step === undefined) return [text, []];
  const [first, steps] = historyOf(parent);
  return [first, [...steps, step]];
}

/** Describes a history, with what each step did. */
async function tell(world: World, node: Node, last: readonly Step[]): Promise<string> {
  const [first, steps] = historyOf(node);
  world.enter(JSON.parse(first));
  const story: string[] = [];
  for (const step of [...steps, ...last]) {
    let problem = "";
    const calls = await takeStep(world, step).then(
      ({ seen }) => [
        seen.ok ? "ok" : "failed",
        ...seen.calls.map(({ operation, id }) => `${operation} ${id}`),
        ...seen.lines.map((line) => JSON.stringify(line)),
      ],
      (error) => {
        problem = String(error);
        return [];
      },
    );
    const { state } = world;
    const records = recordsOf(state).map(
      ({ urn, id, delete: isReplaced, pendingReplacement }) =>
        `${nameOf(urn)}=${id}${isReplaced ? " (to delete)" : ""}${pendingReplacement ? " (deleted)" : ""}`,
    );
    const pending = state.stack.deployment.pending_operations.map(
      ({ type, resource }) => `${type} ${nameOf(resource.urn)}`,
    );
    story.push(
      `- ${describeStep(step)}: ${calls.join("; ")}${problem}`,
      `    state ${records.join(", ") || "empty"}${pending.length > 0 ? `; pending ${pending}` : ""}; ${state.notes.length} notes; API ${state.webhooks.map(({ id }) => id)}; program ${JSON.stringify(state.program)}`,
    );
  }
  return story.join("\n");
}

/** Counts the histories of at most so many steps. */
function countHistories(nodes: readonly Node[], depth: number): number {
  let counts = new Map([[0, 1]]);
  let total = 0;
  for (let level = 1; level <= depth; level++) {
    const following = new Map<number, number>();
    for (const [number, count] of counts) {
      for (const next of nodes[number]?.next ?? []) following.set(next, (following.get(next) ?? 0) + count);
    }
    for (const count of following.values()) total += count;
    counts = following;
  }
  return total;
}

export function describeFigures({
  states,
  steps,
  histories,
  settling,
  cpuSeconds,
  isComplete,
}: Figures): string {
  const all = states.reduce((sum, count) => sum + count);
  return `${isComplete ? "all" : "a part of the"} histories of up to ${states.length - 1} steps: ${histories.toPrecision(3)} histories, ${all} states (${states.join(", ")}), ${steps} steps and ${settling} to settle, ${cpuSeconds.toFixed(1)} s of CPU`;
}
