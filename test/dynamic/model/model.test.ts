import { expect, it } from "vitest";
import { runModel } from "./model.js";

/** The same histories in every run: npm run chaos tries new ones. MODEL_SEED=<seed> makes the histories of an earlier run again; MODEL_STEPS=<number> lets more of them happen. */
const { MODEL_SEED = "1", MODEL_STEPS = "10000" } = process.env;
const seed = Number(MODEL_SEED);
const steps = Number(MODEL_STEPS);

it("loses and doubles no webhook in any history of changes, faults and decisions", async () => {
  const started = performance.now();
  const figures = await runModel({ steps, seed });
  const perSecond = Math.round((1000 * figures.steps) / (performance.now() - started));
  console.log(`MODEL_SEED=${seed}, ${perSecond} steps/s:`, figures);
  expect(figures.steps).toBeGreaterThanOrEqual(steps);
}, 600_000);
