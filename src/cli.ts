#!/usr/bin/env node
import "./refuse-old-node.js";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { SimulatorFlags } from "./cli/simulator.js";
import { runSimulator, SIMULATOR_HELP } from "./cli/simulator.js";
import type { DoctorFlags } from "./doctor.js";
import { DOCTOR_HELP, runDoctor } from "./doctor.js";

const program = new Command("pulumi-webhooks")
  .description("Tools for the Pulumi provider pulumi-webhooks.")
  // Inherited by the commands below, so it comes first: wrong usage shall exit with 2, not with commander's 1.
  .exitOverride();

const simulatorCommand = program
  .command("simulator")
  .description("Run the webhook API on loopback, to try programs and the provider out without the real one.")
  .option("--port <number>", "TCP port on 127.0.0.1, 0 to 65535; 0 takes a free one", parsePort, 0)
  .option("--path <prefix>", "prefix of every path, such as /v1 (default: none)")
  .option("--data <file>", "keep the webhooks, and their secrets, in this file (default: in memory)")
  .option("--behaviour <key=value>", "a switch, see below; repeatable", collect)
  .addHelpText("after", SIMULATOR_HELP)
  .action((flags: SimulatorFlags) =>
    runSimulator(flags).catch((error: unknown) => {
      if (error instanceof RangeError) simulatorCommand.error(`error: ${error.message}`);
      throw error;
    }),
  );
const flags = simulatorCommand.options.map((option) => option.flags).join(", ");
simulatorCommand.showHelpAfterError(`Options: ${flags}. More with: pulumi-webhooks simulator --help`);

program
  .command("doctor")
  .description("Ask your API what its document leaves open, and say which settings follow.")
  .option("-y, --yes", "agree to the throwaway webhook beforehand: without a terminal there is no one to ask")
  .option("--json", "print the report as JSON")
  .option("--stack <name>", "take the settings from the config of this stack of the project in this folder")
  .addHelpText("after", DOCTOR_HELP)
  .showHelpAfterError("More with: pulumi-webhooks doctor --help")
  .action(async (flags: DoctorFlags) => {
    process.exitCode = await runDoctor(flags);
  });

program.parseAsync().catch((error: unknown) => {
  if (!(error instanceof CommanderError)) throw error;
  // Commander has printed its message already, or the help that was asked for.
  process.exitCode = error.exitCode === 0 ? 0 : 2;
});

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new InvalidArgumentError("Allowed are 0 to 65535.");
  }
  return Number(text);
}

function collect(text: string, texts: readonly string[] = []): string[] {
  return [...texts, text];
}
