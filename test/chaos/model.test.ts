import { expect, it } from "vitest";
import { runModel } from "../dynamic/model/run-model.js";

/** Set by scripts/chaos.mts. */
const { CHAOS_STEPS = "100000", MODEL_SEED = "1" } = process.env;
const steps = Number(CHAOS_STEPS);
const seed = Number(MODEL_SEED);

it(`${steps.toLocaleString("en")} steps of random histories leave the provider and the model in agreement`, async () => {
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
  const faults = Object.values(figures.faults).reduce((sum, count) => sum + count, 0);
  const kinds = Object.keys(figures.faults).length;
  console.log(
    `${figures.steps} steps with seed ${seed}: ${figures.requests} requests, ${faults} of them failed in ${kinds} ways, ${figures.inDoubt} in doubt; ${figures.doubled} duplicated, ${figures.lost} lost`,
  );
  expect(figures).toMatchObject({ doubled: 0, lost: 0 });
  expect(figures.steps).toBeGreaterThanOrEqual(steps);
});
