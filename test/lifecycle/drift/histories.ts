import fc from "fast-check";
import { api, passSeconds } from "../simulator.js";
import { Managed, refresh } from "./world.js";

/** A step of a history. Its text is for the reader of a failure. */
export interface Step {
  act(world: World): unknown;
  toString(): string;
}

const step = (text: string, act: Step["act"]): Step => ({ act, toString: () => text });

/** A stack with one webhook that changes, and one that always exists: a refresh that finds none at all does not believe the API. */
export class World {
  readonly #kept = new Managed({ url: "https://example.com/kept", name: "Kept", enabled: true });
  readonly hook = new Managed({ url: "https://example.com/0", name: "Orders", enabled: true });

  async up(): Promise<void> {
    if (this.hook.isGone) await this.refresh(true);
    for (const webhook of [this.#kept, this.hook]) await webhook.up();
  }

  refresh = (keeps: boolean) => refresh([this.#kept, this.hook], keeps);
}

const name = fc.constantFrom("Orders", "Invoices", "Refunds");

const declare = fc.record({ path: fc.nat(3), name, enabled: fc.boolean() }).map(({ path, ...rest }) =>
  step("declare, and up", (world) => {
    world.hook.declared = { ...rest, url: `https://example.com/${path}` };
    return world.up();
  }),
);

const up = fc.constant(step("up", (world) => world.up()));

const refreshes = fc
  .boolean()
  .map((keeps) => step(keeps ? "refresh" : "preview --refresh", (world) => world.refresh(keeps)));

const passes = fc
  .constantFrom(1, 10, 3600)
  .map((seconds) => step(`${seconds} s pass`, () => passSeconds(seconds)));

const change = fc.oneof(
  fc.constant("gone" as const),
  fc.record({ name }),
  fc.record({ enabled: fc.boolean() }),
  fc.record({ url: fc.constantFrom("https://elsewhere.example.com", "https://example.org") }),
);

/** Edits the webhook in the dashboard: some seconds after the last step and before the next one, or at once. */
const edit = fc.record({ change, seconds: fc.constantFrom(20, 20, 0) }).map(({ change, seconds }) =>
  step(`in the dashboard, it becomes ${JSON.stringify(change)}, ${seconds} s later`, ({ hook }) => {
    // A webhook that the API does not find within two minutes of its create is not compared.
    passSeconds(change === "gone" ? 140 : seconds);
    hook.edit((id) => {
      if (change === "gone") api.dashboard.delete(id);
      else api.dashboard.edit(id, change);
    });
    passSeconds(seconds);
  }),
);

export const apis = fc.record({
  timestampPrecision: fc.constantFrom("microseconds", "milliseconds", "seconds"),
  timestampsInCreateReply: fc.boolean(),
  emptyUpdate: fc.constantFrom("leaves updated_at", "leaves updated_at", "sets updated_at"),
  clockSkewSeconds: fc.constantFrom(0, -240, 240, 86_400),
  enabledType: fc.constantFrom("boolean", "string"),
});

const often = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });

/** Builds histories of steps in any order. */
export const histories = fc.array(
  fc.oneof(often(10, refreshes), often(6, declare), often(6, edit), often(2, passes), often(2, up)),
  { minLength: 5, maxLength: 40, size: "max" },
);
