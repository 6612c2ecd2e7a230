import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { report } from "../../figures.js";
import { api, useSimulator, warnings } from "../simulator.js";
import { apis, histories, World } from "./histories.js";
import { figures, KINDS } from "./world.js";

/** Every run has the same histories; npm run chaos tries more and new ones. MODEL_SEED repeats those of an earlier run. */
const { MODEL_SEED } = process.env;
const seed = Number(MODEL_SEED ?? "1");
const [REFRESHES, HISTORIES, LEAST_DRIFT] = MODEL_SEED === undefined ? [200, 30, 5] : [1000, 150, 20];

/** The warnings if the API's times do not show a changed URL, and if one or several webhooks are gone. */
const EXPECTED_LINES =
  /^The URLs of webhooks were not compared|these webhooks do not exist|^- webhook \d+: does not exist$|^Several webhooks are gone at once/;

useSimulator();
// However slow the machine is: nothing but a step takes time.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

it(`shows every edit in the dashboard and no other drift in ${REFRESHES} refreshes of random histories`, async (context) => {
  await fc.assert(
    fc.asyncProperty(apis, histories, async (behavior, steps) => {
      Object.assign(api.behavior, behavior);
      warnings.length = 0;
      const world = new World();
      await world.up();
      for (const step of steps) {
        vi.advanceTimersByTime(100);
        await step.act(world);
      }
      expect(warnings.filter((line) => !EXPECTED_LINES.test(line))).toEqual([]);
    }),
    { seed, numRuns: HISTORIES },
  );
  const { refreshes, probes, shown } = figures;
  const drift = KINDS.map((kind) => `${shown[kind]} ${kind}`).join(", ");
  const tried = `${refreshes} refreshes with ${probes} probes, with seed ${seed}`;
  report(context, `${tried}; drift shown: ${drift}; no false alarm`);
  expect(refreshes).toBeGreaterThanOrEqual(REFRESHES);
  // The histories contained enough drift of each kind.
  for (const kind of KINDS) expect(shown[kind]).toBeGreaterThan(LEAST_DRIFT);
}, 600_000);
