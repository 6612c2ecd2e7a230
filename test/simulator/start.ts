import type { ExpectStatic } from "vitest";
import { expect, onTestFinished } from "vitest";
import type { Simulator, SimulatorOptions } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";

/** Starts a simulator that closes when the test ends. */
export async function start(options?: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator(options);
  onTestFinished(() => simulator.close());
  return simulator;
}

/** Expects of a value that it becomes what is expected. */
export function until<Value>(value: () => Value): ReturnType<ExpectStatic["poll"]> {
  return expect.poll(value, { timeout: 120_000 });
}
