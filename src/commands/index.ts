#!/usr/bin/env node
import "../pulumi/refuse-old-node.js";
import { existsSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import { PulumiCommandError } from "../pulumi/cli.js";
import { serveProject } from "../pulumi/project.js";
import { isExecutable, OWN_COMMAND, OWN_NAME } from "../wording/command.js";
import { printableLines } from "../wording/unprintable.js";
import { VERSION } from "../wording/version.js";
import { CommandError } from "./command-error.js";
import { DOCTOR_HELP, runDoctor } from "./doctor/doctor-command.js";
import { DRIFT_HELP, runDrift } from "./drift/drift-command.js";
import { RESOLVE_HELP, runResolve } from "./resolve/resolve-command.js";

// A reader such as `head` may go away: the command goes on, and the doctor deletes its webhooks.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const program = new Command(OWN_NAME)
  .description("Tools for the Pulumi provider pulumi-webhooks.")
  .version(VERSION, "-v, --version", "print the version")
  // Before the commands below, which inherit it: wrong usage exits with 2, not with commander's 1.
  .exitOverride()
  .showHelpAfterError(`For the commands, run: ${OWN_COMMAND} --help`);

function addCommand(name: string, help: string): Command {
  return program
    .command(name)
    .option("-C, --cwd <path>", "run in this folder, as for pulumi up")
    .hook("preAction", (command) => {
      const { cwd = "." } = command.opts<{ cwd?: string }>();
      if (!existsSync(cwd)) throw new CommandError(`--cwd names no folder: ${cwd}`, 2);
      process.chdir(cwd);
      serveProject(process.cwd());
    })
    .addHelpText("after", help.replaceAll("$ pulumi-webhooks", `$ ${OWN_NAME}`))
    .showHelpAfterError(`For details, run: ${OWN_COMMAND} ${name} --help`);
}

// The variable with which Pulumi itself sets this option counts here, too.
const configFile = new Option("--config-file <path>", "the stack's config file, as for pulumi up").env(
  "PULUMI_OPTION_CONFIG_FILE",
);

const STACK = "the stack of the project in this folder (default: the selected one)";

addCommand("doctor", DOCTOR_HELP)
  .description("Check how your API behaves, and recommend settings.")
  .option("-y, --yes", "do not ask for confirmation (required without a terminal)")
  .option("--url <receiver>", "the URL of the throwaway webhook, if your API verifies it")
  .option("--verbose", "show each request and its reply")
  .option("-s, --stack <name>", "use the config of this stack of the project in this folder")
  .addOption(configFile)
  .action(exitWith(runDoctor));

addCommand("drift", DRIFT_HELP)
  .description("Report what someone changed at the API outside Pulumi.")
  .option("--json", "print the report as JSON")
  .option("-s, --stack <name>", STACK)
  .addOption(configFile)
  .action(exitWith(runDrift));

addCommand("resolve", RESOLVE_HELP)
  .description("Settle the creates of webhooks whose outcome is unknown.")
  .option("-s, --stack <name>", STACK)
  .option("--none [name...]", "the dashboard lacks these webhooks; without a name: any that is unresolved")
  .option("--record", "write what this machine knows of killed runs into the state, and ask nothing")
  .option("--json", "print the result as JSON, and ask nothing")
  .action(exitWith(runResolve));

// The executable contains the simulator, which is a package of its own, and starts it without this file.
if (isExecutable)
  program
    .command("simulator")
    .description("Run a simulator of the webhook API on this machine, to try programs without the real one.");

program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommandError || error instanceof PulumiCommandError) {
    console.error(`error: ${printableLines(error.message)}`);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  } else if (error instanceof CommanderError) {
    // Commander has printed its message already, or the help or version that was requested.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else throw error;
});

function exitWith<Flags>(run: (flags: Flags) => Promise<number>): (flags: Flags) => Promise<void> {
  return async (flags) => {
    process.exitCode = await run(flags);
  };
}
