#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { CannotRunError, runSimulator, SIMULATOR_HELP, type SimulatorFlags } from "./run-simulator.js";

// The executable of the plugin contains this command, for machines without Node.js.
const isExecutable = process.getBuiltinModule("node:sea").isSea();
const NAME = isExecutable ? "pulumi-resource-webhooks simulator" : "pulumi-webhooks-simulator";
const COMMAND = isExecutable ? `${process.execPath} simulator` : `npx ${NAME}`;

// A reader such as `head` may go away: the simulator goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const program = new Command(NAME)
  .description("Run a simulator of the webhook API on this machine, to try programs without the real one.")
  .addHelpText("after", SIMULATOR_HELP.replaceAll("$ pulumi-webhooks-simulator", `$ ${NAME}`))
  .showHelpAfterError(`For details, run: ${COMMAND} --help`)
  .option("--port <number>", "TCP port, 0 to 65535; 0 selects a free one", Number, 0)
  .option("--host <address>", "address to listen at, such as 0.0.0.0", "127.0.0.1")
  .option("--path <prefix>", "prefix of every path, such as /v1 (default: none)")
  .option("--file <path>", "file that keeps the webhooks for the next start (default: none)")
  .option("--behavior <key=value>", "a behavior option, see below; repeatable", collect)
  .option("--fault <rule>", "make requests fail, see below; repeatable", collect)
  // Wrong usage exits with 2, not with commander's 1.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(async (flags: SimulatorFlags) => {
    try {
      await runSimulator(flags);
    } catch (error) {
      if (error instanceof RangeError) program.error(`error: ${error.message}`);
      if (!(error instanceof CannotRunError)) throw error;
      console.error(`error: ${error.message}`);
      process.exitCode = 1;
    }
  });

if (!isExecutable) program.version(ownVersion(), "-v, --version", "print the version");

void program.parseAsync();

function ownVersion(): string {
  return JSON.parse(readFileSync(join(__dirname, "../package.json"), "utf8")).version;
}

function collect(text: string, texts: readonly string[] = []): string[] {
  return [...texts, text];
}
