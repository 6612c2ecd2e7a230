#!/usr/bin/env node
import "./refuse-old-node.js";
import { STATUS_CODES } from "node:http";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { DoctorFlags } from "./doctor.js";
import { DOCTOR_HELP, runDoctor } from "./doctor.js";
import { behaviourHelp, parseBehaviourTexts } from "./simulator/behaviour.js";
import type { Call, Simulator } from "./simulator/index.js";
import { startSimulator } from "./simulator/index.js";

const program = new Command("pulumi-webhooks")
  .description("Tools for the Pulumi provider pulumi-webhooks.")
  // Inherited by the commands below, so it comes first: wrong usage shall exit with 2, not with commander's 1.
  .exitOverride();

const simulatorCommand = program
  .command("simulator")
  .description("Run the webhook API on loopback, to try programs and the provider out without the real one.")
  .option("--port <number>", "TCP port on 127.0.0.1, 0 to 65535; 0 takes a free one", parsePort, 0)
  .option("--path <prefix>", "prefix of every path, such as /v1 (default: none)")
  .option("--behaviour <key=value>", "a switch, see below; repeatable", collect)
  .addHelpText(
    "after",
    `
Environment:
  WEBHOOKS_API_KEY         the key that the simulator accepts
                           visible ASCII  (default: simulator-key)

Behaviour, where the document of the API is silent:
${behaviourHelp()}

Examples:
  $ pulumi-webhooks simulator --port 8080 --path /v1
  $ pulumi-webhooks simulator --behaviour idPlace=id --behaviour "emptyUpdate=leaves updated_at"
  $ pulumi-webhooks simulator --behaviour rateLimit=5:10:headers

It keeps its webhooks in memory and prints a line for each call, never a key or a secret. Ctrl-C ends it.
Exit codes: 0 ended by Ctrl-C, 1 cannot run, 2 wrong usage.`,
  )
  .action(runSimulator);
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

interface SimulatorFlags {
  readonly port: number;
  readonly path?: string;
  readonly behaviour?: readonly string[];
}

async function runSimulator(flags: SimulatorFlags): Promise<void> {
  // The environment only: a command line is seen by every user of the machine, and kept in a history.
  const ownKey = process.env.WEBHOOKS_API_KEY || undefined;
  const simulator = await start(flags, ownKey);
  if (!simulator) return;
  simulator.onCall = (call) => console.log(callLine(call));
  const end = () => void simulator.close();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  console.log(introduction(simulator, ownKey !== undefined));
}

async function start(flags: SimulatorFlags, apiKey: string | undefined): Promise<Simulator | undefined> {
  try {
    return await startSimulator({
      port: flags.port,
      path: flags.path ?? "",
      behaviour: parseBehaviourTexts(flags.behaviour ?? []),
      ...(apiKey !== undefined && { apiKey }),
    });
  } catch (error) {
    if (error instanceof RangeError) return simulatorCommand.error(`error: ${error.message}`);
    if (!(error instanceof Error && "syscall" in error)) throw error;
    const remedy = "Choose another with --port, or leave it out for a free one.";
    console.error(`error: Cannot listen on port ${flags.port}: ${error.message}. ${remedy}`);
    process.exitCode = 1;
    return undefined;
  }
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new InvalidArgumentError("Allowed are 0 to 65535.");
  }
  return Number(text);
}

function collect(text: string, texts: readonly string[] = []): string[] {
  return [...texts, text];
}

/** What a user needs to point a stack at the simulator. A key of the user's own is not printed. */
function introduction({ url, apiKey }: Simulator, hasOwnKey: boolean): string {
  const setKey = "pulumi config set --secret webhooks:apiKey";
  const shown = hasOwnKey ? "the one in WEBHOOKS_API_KEY" : apiKey;
  return `Webhook API simulator: ${url}
API key: ${shown}

Point a stack at it:
  pulumi config set webhooks:baseUrl ${url}
  ${hasOwnKey ? `printenv WEBHOOKS_API_KEY | ${setKey}` : `${setKey} ${apiKey}`}
or a whole shell, for stacks that set neither:
  export WEBHOOKS_BASE_URL=${url}${hasOwnKey ? "" : `\n  export WEBHOOKS_API_KEY=${apiKey}`}

Calls, each when it is over. Ctrl-C ends the simulator.`;
}

/** One call in one line: `12:00:01  update  200 OK  webhook_id "42", name "Orders"`. */
function callLine({ at, operation, method, path, status, body, fault, committed }: Call): string {
  const parts = [
    new Date(at).toTimeString().slice(0, 8),
    operation === "unknown" ? `${method} ${path}` : operation,
    status === undefined ? "no reply" : [status, STATUS_CODES[status]].join(" ").trim(),
    subject(body),
    fault === undefined ? "" : `fault: ${fault} (${committed ? "took effect" : "no effect"})`,
  ];
  const line = parts.filter((part) => part !== "").join("  ");
  // A name from the network must not steer the terminal.
  return line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
}

function subject(body: unknown): string {
  const fields = new Map<string, unknown>(Object.entries(body ?? {}));
  return ["webhook_id", "name", "enabled"]
    .filter((name) => fields.has(name))
    .map((name) => `${name} ${JSON.stringify(fields.get(name))}`)
    .join(", ");
}
