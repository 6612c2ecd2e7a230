import { keyOf } from "./canonical.js";
import { checkSettled, recordsOf } from "./invariants.js";
import { follow, UP, Violation } from "./person.js";
import { type Step, TRUTH } from "./steps.js";
import type { Seen, World } from "./world.js";

type Take = (step: Step) => Promise<Seen>;

/**
 * Returns what settles the present state as a person does who knows the dashboard: answers what is asked, runs one up, and follows what
 * its messages say. Then nothing is left to do, and a removal asks nothing. It knows the states from which that is known to succeed.
 */
export function createSettling(world: World): (take: Take) => Promise<void> {
  const [begun, done] = [new Set<string>(), new Set<string>()];
  /** Reports whether the present state is among some, and adds it to them. */
  const isKnown = (states: Set<string>) => {
    const { size } = states;
    return states.add(keyOf(world.state)).size === size;
  };

  async function upAndFollow(take: Take): Promise<Seen> {
    const steps: Step[] = [];
    let seen = await take(UP);
    for (let again = 0; again < 12; again++) {
      steps.unshift(...follow(world.state, seen));
      const step = steps.shift();
      if (step === undefined) break;
      seen = await take(step);
    }
    return seen;
  }

  return async (take) => {
    if (isKnown(begun)) return;
    if ((await world.report()).length > 0) {
      // As a pipeline does first.
      await take({ kind: "resolve", record: true });
      const seen = await take(TRUTH);
      const isResolved = seen.ok && (await world.report()).length === 0;
      demand(isResolved, "resolve answers every case that closes the gate", seen);
      if (isKnown(begun)) return;
    }
    let seen = await upAndFollow(take);
    demand(seen.ok, "one up settles what was resolved", seen);
    if (isKnown(done)) return;
    const next = await world.run({ kind: "up" });
    const isSame = next.ok && next.changes === 0 && next.calls.every(({ isProbe }) => isProbe);
    demand(isSame, "after that there is nothing to do", next);
    checkSettled(world.state);
    world.state.program = {};
    seen = await upAndFollow(take);
    const isEmpty = recordsOf(world.state).length + (await world.report()).length === 0;
    demand(seen.ok && isEmpty, "a removal after a settled history succeeds, and asks nothing", seen);
    checkSettled(world.state);
  };
}

function demand(isKept: boolean, promise: string, { lines }: Seen): void {
  if (!isKept) throw new Violation(`Not kept: ${promise}. ${lines.join(" | ")}`);
}
