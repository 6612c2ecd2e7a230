import { keyOf } from "./canonical.js";
import { checkSettled, recordsOf } from "./invariants.js";
import { follow, UP, Violation } from "./person.js";
import { type Step, TRUTH } from "./steps.js";
import type { Seen, World } from "./world.js";

/** Settles states, and knows the states from which that is known to succeed. */
export class Settled {
  readonly #world: World;
  readonly #begun = new Set<string>();
  readonly #done = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Settles the present state as a person does who knows the dashboard: answers what is asked, runs one up, and follows what its
   * messages say. Then nothing is left to do, and a removal asks nothing.
   */
  async settle(take: (step: Step) => Promise<Seen>): Promise<void> {
    const world = this.#world;
    if (this.#isKnown(this.#begun)) return;
    if ((await world.report()).length > 0) {
      // As a pipeline does first.
      await take({ kind: "resolve", record: true });
      const seen = await take(TRUTH);
      const isResolved = seen.ok && (await world.report()).length === 0;
      demand(isResolved, "resolve answers every case that closes the gate", seen);
      if (this.#isKnown(this.#begun)) return;
    }
    let seen = await this.#upAndFollow(take);
    demand(seen.ok, "one up settles what was resolved", seen);
    if (this.#isKnown(this.#done)) return;
    const next = await world.run({ kind: "up" });
    const isSame = next.ok && next.changes === 0 && next.calls.every(({ isProbe }) => isProbe);
    demand(isSame, "after that there is nothing to do", next);
    checkSettled(world.state);
    world.state.program = {};
    seen = await this.#upAndFollow(take);
    const isEmpty = recordsOf(world.state).length + (await world.report()).length === 0;
    const isRemoved = seen.ok && isEmpty;
    demand(isRemoved, "a removal after a settled history succeeds, and asks nothing", seen);
    checkSettled(world.state);
  }

  /** Runs an up, and follows what its messages say. */
  async #upAndFollow(take: (step: Step) => Promise<Seen>): Promise<Seen> {
    const steps: Step[] = [];
    let seen = await take(UP);
    for (let again = 0; again < 12; again++) {
      steps.unshift(...follow(this.#world.state, seen));
      const step = steps.shift();
      if (step === undefined) break;
      seen = await take(step);
    }
    return seen;
  }

  /** Reports whether the present state is among some, and adds it to them. */
  #isKnown(states: Set<string>): boolean {
    const { size } = states;
    return states.add(keyOf(this.#world.state)).size === size;
  }
}

function demand(isKept: boolean, promise: string, { lines }: Seen): void {
  if (!isKept) throw new Violation(`Not kept: ${promise}. ${lines.join(" | ")}`);
}
