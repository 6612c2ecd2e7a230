import { expect, it } from "vitest";
import { report } from "../../figures.js";
import { runModel } from "./run-model.js";
import { describe } from "./world.js";

/** Every run has the same histories; npm run chaos tries new ones. MODEL_SEED repeats those of an earlier run, MODEL_STEPS sets how many steps there are. */
const { MODEL_SEED = "1", MODEL_STEPS = "10000" } = process.env;
const seed = Number(MODEL_SEED);
const steps = Number(MODEL_STEPS);

it("never loses or duplicates a webhook in a history of changes, faults and decisions", async (context) => {
  const started = performance.now();
  const figures = await runModel({ steps, seed });
  const perSecond = Math.round((1000 * figures.steps) / (performance.now() - started));
  report(context, `${describe(figures)}, with seed ${seed}; ${perSecond} steps a second`);
  expect(figures.steps).toBeGreaterThanOrEqual(steps);
}, 600_000);
