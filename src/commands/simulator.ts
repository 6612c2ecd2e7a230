import { runSimulator as run, type Simulator, type SimulatorFlags } from "../simulator/command.js";
import { CommandError } from "./command-error.js";
import { printable } from "./printable.js";

/** Runs the simulator until Ctrl-C. @throws CommandError if this machine does not let it run. */
export function runSimulator(flags: SimulatorFlags): Promise<Simulator> {
  const refuse = (problem: string) => new CommandError(problem);
  return run(flags, { print: (line) => console.log(printable(line)), refuse });
}
