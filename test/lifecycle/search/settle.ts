import { checkSettled, recordsOf, Violation } from "./invariants.js";
import { keyOf, nameOf, urnOf } from "./state.js";
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
    if (world.unresolved().length > 0) {
      // As a pipeline does first.
      await take({ kind: "resolve", record: true });
      const seen = await take(TRUTH);
      const isResolved = seen.ok && world.unresolved().length === 0;
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
    const isRemoved = seen.ok && recordsOf(world.state).length === 0 && world.unresolved().length === 0;
    demand(isRemoved, "a removal after a settled history succeeds, and asks nothing", seen);
    checkSettled(world.state);
  }

  /** Runs an up, and follows what its messages say. */
  async #upAndFollow(take: (step: Step) => Promise<Seen>): Promise<Seen> {
    let [seen, last]: [Seen, Step] = [await take(UP), UP];
    for (let again = 0; again < 6; again++) {
      const step: Step | undefined = last.kind === "state delete" ? UP : advice(this.#world, seen, last);
      if (step === undefined) break;
      [seen, last] = [await take(step), step];
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

const UP = { kind: "up" } as const;

/** Returns what the messages of an up advise. @returns undefined if that is nothing. */
function advice(world: World, { ok, lines }: Seen, last: Step): Step | undefined {
  const text = lines.join("\n");
  const { program, stack } = world.state;
  // The engine passes a read no URN. The person finds it in the state.
  const recorded = stack.deployment.resources.filter(({ id }) =>
    new RegExp(`webhook ${id}\\b`, "i").test(text),
  );
  const named = text.includes("--replace '<urn>'") ? recorded.map(({ urn }) => nameOf(urn)) : [];
  const replace = Object.keys(program).filter(
    (name) => named.includes(name) || new RegExp(`--replace '[^']*::${name}'`).test(text),
  );
  if (replace.length > 0)
    return { ...UP, options: { replace, ...(text.includes("--refresh=false") && { refresh: false }) } };
  // What replaced an imported webhook cannot be imported again.
  const replaced = Object.keys(program).find((name) => {
    const { id } = stack.deployment.resources.find(({ urn }) => urn === urnOf(world.state, name)) ?? {};
    return id !== undefined && (program[name]?.import ?? id) !== id;
  });
  if (ok && replaced !== undefined) return { ...UP, edit: { what: "drop the import", name: replaced } };
  // The engine's own import sends nothing, and nothing shows in one run that a second resource imports the same.
  if (ok) return /After an import, run pulumi up|imported webhooks/.test(text) ? UP : undefined;
  // The key of one run was another account's, which has a webhook since.
  if (text.includes("Set a key of that account"))
    return last.kind === "up" && last.options?.hasWrongKey ? UP : { ...UP, options: { hasWrongKey: true } };
  const [, moved] = /\((\S+)\) was managed by/.exec(text) ?? [];
  if (moved !== undefined)
    return { ...UP, edit: { what: "rename", name: moved, to: `${moved}-of-${program[moved]?.provider}` } };
  // The person knows what the program declares, and which of two records is the copy.
  const advised = text.replaceAll(
    /If the program no longer declares it, run pulumi state delete '[^']*'/g,
    "",
  );
  const missing = Object.keys(program).filter((name) =>
    advised.includes(`pulumi state delete '${urnOf(world.state, name)}'`),
  );
  const [name] = missing.toSorted((one) => (one.includes("copy") ? -1 : 1));
  if (name !== undefined) return { kind: "state delete", name };
  const imported = Object.keys(program).find((name) => program[name]?.import !== undefined);
  if (imported !== undefined) return { kind: "up", edit: { what: "drop the import", name: imported } };
  return undefined;
}
