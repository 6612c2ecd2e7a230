import fc from "fast-check";
import { startSimulator } from "../../../src/simulator/index.js";
import { histories, KEYS } from "./commands.js";
import { ModelEngine } from "./engine.js";
import type { Figures } from "./world.js";
import { noFigures, World } from "./world.js";

export interface ModelOptions {
  /** The least number of commands. */
  steps: number;
  /** The same seed makes the same histories, except for time-outs, which depend on the clock. */
  seed: number;
  /** The number of concurrent histories. Default 12: some run while others wait for time-outs. */
  concurrency?: number;
  onProgress?: (figures: Figures) => void;
}

/** Long enough for one fault to follow another, and short enough to read. */
const COMMANDS = 200;
const HISTORIES_PER_SEED = 2;
const SHRINKING_MILLISECONDS = 180_000;

/**
 * Runs random histories, and checks all promises after each step.
 *
 * @throws an error with the seed and the shortest history found that breaks a promise.
 */
export async function runModel({
  steps,
  seed,
  concurrency = 12,
  onProgress,
}: ModelOptions): Promise<Figures> {
  const figures = noFigures();
  let next = seed;
  /** The first seed that breaks a promise. All other histories end, and this one is shrunk. */
  let broken: number | undefined;

  const work = async () => {
    while (figures.steps < steps && broken === undefined) {
      const own = next++;
      const property = history(figures, {
        isOver: () => broken !== undefined && broken !== own,
        onBroken: () => {
          broken ??= own;
        },
      });
      const parameters = {
        seed: own,
        numRuns: HISTORIES_PER_SEED,
        interruptAfterTimeLimit: SHRINKING_MILLISECONDS,
      };
      const result = await fc.check(property, parameters);
      onProgress?.(figures);
      if (!result.failed || broken !== own) continue;
      const report = await fc.asyncDefaultReportMessage(result);
      throw new Error(`MODEL_SEED=${own} breaks a promise.\n${result.errorInstance}\n${report}`);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return figures;
}

/** Builds the property that each history keeps all promises, in a world of its own. */
function history(figures: Figures, { isOver, onBroken }: { isOver: () => boolean; onBroken: () => void }) {
  return fc.asyncProperty(histories(COMMANDS), async (commands) => {
    if (isOver()) return;
    const api = await startSimulator({ apiKey: KEYS[0] });
    const world = await World.create({ engine: () => new ModelEngine(), api, figures });
    try {
      await fc.asyncModelRun(() => ({ model: world.model, real: world }), commands);
    } catch (error) {
      if (!isOver()) onBroken();
      throw new Error(`${error}\nLast steps:\n${world.story()}`);
    } finally {
      await Promise.all([world.close(), api.close()]);
    }
  });
}
