import { expect, it } from "vitest";
import { report } from "../figures.js";
import { runModel } from "../lifecycle/model/run-model.js";
import { describe } from "../lifecycle/model/world.js";

/** Set by scripts/chaos.mts. */
const { CHAOS_STEPS = "100000", MODEL_SEED = "1" } = process.env;
const steps = Number(CHAOS_STEPS);
const seed = Number(MODEL_SEED);

it(`${steps.toLocaleString("en")} steps of random histories leave the provider and the model in agreement`, async (context) => {
  let reported = 0;
  const figures = await runModel({
    steps,
    seed,
    onProgress: ({ steps: done }) => {
      if (done < reported + steps / 10) return;
      reported = done;
      console.log(`${done} of ${steps} steps`);
    },
  });
  report(context, `${describe(figures)}, with seed ${seed}`);
  expect(figures).toMatchObject({ duplicated: 0, lost: 0 });
  expect(figures.steps).toBeGreaterThanOrEqual(steps);
});
