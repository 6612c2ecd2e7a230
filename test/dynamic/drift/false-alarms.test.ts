import fc from "fast-check";
import { expect, it } from "vitest";
import { startSimulator } from "../../../src/simulator/index.js";
import { apis, histories } from "./histories.js";
import { beforeApi } from "./odd-times.js";
import type { Figures } from "./world.js";
import { World } from "./world.js";

/** The same histories in every run: npm run chaos tries new ones. MODEL_SEED=<seed> makes those of an earlier run again. */
const { MODEL_SEED = "1" } = process.env;
const seed = Number(MODEL_SEED);
const REFRESHES = 1000;
const HISTORIES = 150;

it(`shows what was edited in the dashboard, and nothing else, in ${REFRESHES} refreshes of random histories`, async () => {
  const figures: Figures = { refreshes: 0, probes: 0, shown: {}, ups: 0 };
  await fc.assert(
    fc.asyncProperty(apis, histories, async ({ behaviour, oddities }, steps) => {
      const api = await startSimulator({ behaviour });
      await using odd = await beforeApi(api.url, oddities);
      const world = new World({ api, odd, figures });
      try {
        for (const step of steps) await step.act(world);
      } finally {
        await api.close();
      }
    }),
    { seed, numRuns: HISTORIES, interruptAfterTimeLimit: 120_000 },
  );
  console.log(`MODEL_SEED=${seed}:`, figures);
  expect(figures.refreshes).toBeGreaterThanOrEqual(REFRESHES);
  // Of what there was to be seen there was enough.
  for (const kind of ["gone", "name", "enabled", "changedOutsidePulumi"] as const) {
    expect(figures.shown[kind]).toBeGreaterThan(20);
  }
}, 180_000);
