import fc from "fast-check";
import { api } from "../simulator.js";
import { type Oddities, odd } from "./odd-times.js";
import type { World } from "./world.js";

/** A step of a history. Its text is for the reader of a failure. */
export interface Step {
  act(world: World): unknown;
  toString(): string;
}

const step = (text: string, act: Step["act"]): Step => ({ act, toString: () => text });

const resource = fc.constantFrom("hook-0", "hook-1", "hook-2");
const name = fc.constantFrom("Orders", "Invoices", "Refunds");

/** A webhook that always exists: a refresh that finds none at all does not believe the API. */
export const KEPT = { url: "https://example.com/kept", name: "Kept", enabled: true };

/** Creates or changes a webhook. */
const declare = fc
  .record({ resource, path: fc.nat(3), name, enabled: fc.boolean() })
  .map(({ resource, path, ...rest }) =>
    step(`declare ${resource}, and up`, (world) =>
      world.declare(resource, { ...rest, url: `https://example.com/${resource}/${path}` }),
    ),
  );

const up = fc.constant(step("up", (world) => world.up()));

const refresh = fc
  .boolean()
  .map((keep) => step(keep ? "refresh" : "preview --refresh", (world) => world.refresh({ keep })));

const pass = fc
  .constantFrom(1, 10, 3600)
  .map((seconds) => step(`${seconds} s pass`, (world) => world.pass(seconds)));

const change = fc.oneof(
  fc.constant("gone" as const),
  fc.record({ name }),
  fc.record({ enabled: fc.boolean() }),
  fc.record({ url: fc.constantFrom("https://elsewhere.example.com", "https://example.org") }),
);

/** Edits a webhook in the dashboard: some seconds after the last step and before the next one, or at once. */
const edit = fc
  .record({ resource, change, seconds: fc.constantFrom(20, 20, 0) })
  .map(({ resource, change, seconds }) =>
    step(`in the dashboard, ${resource} becomes ${JSON.stringify(change)}, ${seconds} s later`, (world) => {
      // A webhook that the API does not find within two minutes of its create, by a coarse clock, is not compared.
      world.pass(change === "gone" ? 140 : seconds);
      world.edit(resource, (id) => {
        if (change === "gone") api.dashboard.delete(id);
        else api.dashboard.edit(id, change);
      });
      world.pass(seconds);
    }),
  );

const oddities: fc.Arbitrary<Oddities> = fc.oneof(
  fc.constant<Oddities>({ zone: "Z", kept: "all", date: "exact" }),
  fc.record({
    zone: fc.constantFrom("Z", "Z", "+05:30", "-0300", "local", "epoch"),
    kept: fc.constantFrom("all", "cut", "rounded"),
    date: fc.constantFrom("exact", "exact", "coarse", "none"),
  }),
);

const precision = {
  timestampPrecision: fc.constantFrom("microseconds" as const, "milliseconds" as const, "seconds" as const),
  timestampsInCreateReply: fc.boolean(),
};

const becomeOdd = fc.record({ changed: oddities, behavior: fc.record(precision) }).map((becomes) =>
  step(`the API becomes ${JSON.stringify(becomes)}`, (world) => {
    world.isSteady = false;
    odd.oddities = becomes.changed;
    Object.assign(api.behavior, becomes.behavior);
  }),
);

/** Builds APIs. The effect of an empty update on `updated_at` never changes, everything else may. */
export const apis = fc.record({
  oddities,
  behavior: fc.record({
    ...precision,
    emptyUpdate: fc.constantFrom("leaves updated_at", "leaves updated_at", "sets updated_at"),
    clockSkewSeconds: fc.constantFrom(0, -240, 240, 86_400),
    enabledType: fc.constantFrom("boolean", "string"),
  }),
});

const often = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });

/** Builds histories of steps in any order. */
export const histories = fc.array(
  fc.oneof(
    often(10, refresh),
    often(6, declare),
    often(6, edit),
    often(2, pass),
    often(2, up),
    often(1, becomeOdd),
  ),
  { minLength: 5, maxLength: 40, size: "max" },
);
