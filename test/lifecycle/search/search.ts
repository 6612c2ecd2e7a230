import { keyOf } from "./canonical.js";
import { checkInvariants, excuse, recordsOf } from "./invariants.js";
import { Violation } from "./person.js";
import { nameOf } from "./records.js";
import { createSettling } from "./settle.js";
import { firstState, type State } from "./state.js";
import { describeStep, dropAliases, faultsOf, ordinaryStepsOf, type Step, stepsOf, take } from "./steps.js";
import { type Seen, World } from "./world.js";

export interface SearchOptions extends Pick<State, "face" | "drift" | "refresh"> {
  names: readonly string[];
  /** Whether the webhooks exist when a history begins. */
  areDeployed: boolean;
  depth: number;
  /** The steps of an ordinary day, without a fault, or each step with each fault of its requests. */
  kind: "ordinary" | "all";
}

/** A state that was reached, and how. */
interface Node {
  /** The state as JSON, until all steps were taken from those that follow. */
  text: string;
  parent?: Node;
  step?: Step;
}

/**
 * Searches all short histories of the webhooks of one stack: takes every step (steps.ts) from every state (state.ts), breadth first, each
 * state once, checks the promises (invariants.ts) after each, and settles each state (settle.ts). The providers of both faces and the
 * command `resolve` are the real ones. The engine, the machine and the API are emulated in this process.
 *
 * @returns what it has counted.
 * @throws Violation with the shortest history that breaks a promise.
 */
export async function search({ names, areDeployed, depth, kind, ...given }: SearchOptions): Promise<string> {
  const started = process.cpuUsage();
  const world = new World();
  world.state = firstState(names, given);
  // The backup of a stack that was not deployed yet.
  const first = JSON.stringify(world.state);
  if (areDeployed) await takeStep(world, { kind: "up" });
  const text = JSON.stringify(world.state);
  const nodes: Node[] = [{ text }];
  const known = new Set([keyOf(JSON.parse(text))]);
  const settle = createSettling(world);
  const counts = [1];
  let [steps, settling] = [0, 0];

  /** Takes a step from a state, and settles the state that it leads to if that is new. */
  async function follow(node: Node, step: Step): Promise<{ seen: Seen; state: State }> {
    const last = [step];
    try {
      world.state = JSON.parse(node.text);
      const seen = await takeStep(world, step);
      steps++;
      const { state } = world;
      const key = keyOf(state);
      if (!known.has(key)) {
        known.add(key);
        const reached = JSON.stringify(state);
        const text = counts.length < depth ? reached : "";
        nodes.push({ text, parent: node, step });
        world.state = JSON.parse(reached);
        await settle((next) => {
          last.push(next);
          settling++;
          return takeStep(world, next);
        });
      }
      return { seen, state };
    } catch (error) {
      throw new Violation(`${error}\n${await tell(world, text, [...historyOf(node), ...last])}`);
    }
  }

  try {
    let earlier: Node[] = [];
    for (let begin = 0; counts.length <= depth; counts.push(nodes.length - begin)) {
      const reached = nodes.slice(begin);
      begin = nodes.length;
      for (const node of reached) {
        world.enter(JSON.parse(node.text));
        const isOrdinary = kind === "ordinary";
        const before: State = JSON.parse(node.parent?.text ?? first);
        const steps = isOrdinary
          ? ordinaryStepsOf(world.state, names, before)
          : stepsOf(world.state, names, await world.report());
        for (const step of [...steps]) {
          const { seen, state } = await follow(node, step);
          for (const failing of isOrdinary ? [] : faultsOf(step, seen, state)) await follow(node, failing);
        }
      }
      for (const node of earlier) node.text = "";
      earlier = reached;
    }
  } finally {
    world.close();
  }
  const { user, system } = process.cpuUsage(started);
  return `every history of up to ${depth} steps: ${nodes.length} states (${counts.join(", ")}), ${steps} steps and ${settling} to settle, ${((user + system) / 1e6).toFixed()} s of CPU`;
}

async function takeStep(world: World, step: Step): Promise<Seen> {
  world.enter(world.state);
  const before: State = JSON.parse(JSON.stringify(world.state));
  const reportedBefore = await world.report();
  const seen = await take(world, step);
  const taken = {
    step,
    seen,
    before,
    after: world.state,
    reportedBefore,
    reportedAfter: await world.report(),
  };
  excuse(taken);
  checkInvariants(taken);
  dropAliases(world.state);
  return seen;
}

function historyOf({ parent, step }: Node): Step[] {
  return parent === undefined || step === undefined ? [] : [...historyOf(parent), step];
}

async function tell(world: World, first: string, steps: readonly Step[]): Promise<string> {
  world.state = JSON.parse(first);
  const story: string[] = [];
  for (const step of steps) {
    const did = await takeStep(world, step).then(
      ({ ok, calls, lines }) => [
        ok ? "ok" : "failed",
        ...calls.map((call) => `${call.operation} ${call.id}`),
        ...lines,
      ],
      (error) => [String(error)],
    );
    const { program, stack, notes, webhooks } = world.state;
    const records = recordsOf(world.state).map(
      (one) => `${nameOf(one.urn)}=${one.id}${one.delete ? " (to delete)" : ""}`,
    );
    const pending = stack.deployment.pending_operations.map((one) => [one.type, nameOf(one.resource.urn)]);
    story.push(
      `- ${describeStep(step)}: ${did.join("; ")}`,
      `    program ${JSON.stringify(program)}; state ${records}; pending ${pending}; ${notes.length} notes; API ${webhooks.map(({ id }) => id)}`,
    );
  }
  return story.join("\n");
}
