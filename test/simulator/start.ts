import { onTestFinished } from "vitest";
import type { Simulator, SimulatorOptions } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";

/** Starts a simulator that closes when the test ends. */
export async function start(options?: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator(options);
  onTestFinished(() => simulator.close());
  return simulator;
}
