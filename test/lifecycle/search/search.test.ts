import { expect, it } from "vitest";
import { report } from "../../figures.js";
import { describeFigures, replay, search } from "./search.js";
import type { Step } from "./steps.js";

/** By how many steps the histories are longer than in npm test: npm run chaos sets it. */
const MORE_STEPS = Number(process.env.SEARCH_MORE_STEPS ?? 0);

it.for([
  { what: "one webhook", names: ["a"], drift: "off", depth: 2 },
  { what: "one webhook with the probe", names: ["a"], drift: "probe", depth: 1 },
  { what: "two webhooks that look alike", names: ["a", "b"], drift: "off", depth: 1 },
] as const)(
  "keeps all promises in every history of $what",
  { timeout: 7_200_000 },
  async ({ what, names, drift, depth }, context) => {
    const figures = await search({ names, renamed: "c", drift, depth: depth + MORE_STEPS });
    report(context, `${what}: ${describeFigures(figures)}`);
    expect(figures.isComplete).toBe(true);
  },
);

const up = (kind: "provider killed done" | "engine killed done" | "no reply, done"): Step => ({
  kind: "up",
  fault: { kind, request: 0, andLater: false },
});

/** Histories that broke a promise once. */
it.for([
  {
    what: "the right id of a create that only the notes know, with the probe",
    drift: "probe",
    steps: [up("provider killed done")],
  },
  {
    what: "a rename beside an id that was entered and is not declared any more",
    drift: "off",
    steps: [
      { kind: "up" },
      {
        kind: "up",
        edit: { what: "rotate", name: "a" },
        fault: { kind: "engine killed done", request: 0, andLater: false },
      },
      { kind: "up", edit: { what: "rename", name: "a", to: "c" } },
    ],
  },
] as const satisfies readonly { what: string; drift: "off" | "probe"; steps: readonly Step[] }[])(
  "settles $what",
  ({ drift, steps }) => replay({ names: ["a"], drift }, steps),
);
