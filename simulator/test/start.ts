import { type ExpectStatic, expect, onTestFinished } from "vitest";
import { type Simulator, type SimulatorOptions, startSimulator } from "../src/index.js";

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
