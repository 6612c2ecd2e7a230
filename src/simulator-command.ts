import { STATUS_CODES } from "node:http";
import { DataFileError } from "./simulator/data-file.js";
import type { Call, Simulator } from "./simulator/index.js";
import { startSimulator } from "./simulator/index.js";
import { behaviourHelp, parseBehaviourTexts } from "./simulator/switch-texts.js";

/** The flags of `pulumi-webhooks simulator`. */
export interface SimulatorFlags {
  readonly port: number;
  readonly path?: string;
  readonly data?: string;
  readonly behaviour?: readonly string[];
}

// It may run for weeks: what the page shows, and no more.
const MAX_CALLS = 100;

/** What `pulumi-webhooks simulator --help` says below the options. */
export const SIMULATOR_HELP = `
Environment:
  WEBHOOKS_API_KEY         the key that the simulator accepts
                           visible ASCII  (default: simulator-key)

Behaviour, where the document of the API is silent:
${behaviourHelp()}

The page, whose address is printed at the start, lists the webhooks and the last ${MAX_CALLS} calls, live. It creates, edits,
disables and deletes webhooks as the platform's dashboard would, makes calls fail, and changes the behaviour.
Like the API, it can be reached from this machine only, and it takes no orders from other sites.

The webhooks are in memory, or with --data in a file, which is made when there is none. It is written with each change,
readable for its owner only: THE SECRETS OF THE WEBHOOKS ARE IN IT. One simulator may use it at a time.

Examples:
  $ pulumi-webhooks simulator --port 8080 --path /v1
  $ pulumi-webhooks simulator --port 8080 --data webhooks.json
  $ pulumi-webhooks simulator --behaviour idPlace=id --behaviour "emptyUpdate=leaves updated_at"
  $ pulumi-webhooks simulator --behaviour rateLimit=5:10:headers

It prints a line for each call, never a key or a secret. Ctrl-C ends it.
Exit codes: 0 ended by Ctrl-C, 1 cannot run, 2 wrong usage.`;

/**
 * Runs the simulator until Ctrl-C.
 * @throws RangeError for a flag that is out of range.
 */
export async function runSimulator(flags: SimulatorFlags): Promise<void> {
  // The environment only: a command line is seen by every user of the machine, and kept in a history.
  const ownKey = process.env.WEBHOOKS_API_KEY || undefined;
  const simulator = await start(flags, ownKey);
  if (!simulator) return;
  simulator.onCall = (call) => console.log(callLine(call));
  const end = () => void simulator.close();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  console.log(introduction(simulator, flags, ownKey !== undefined));
}

async function start(flags: SimulatorFlags, apiKey: string | undefined): Promise<Simulator | undefined> {
  try {
    return await startSimulator({
      port: flags.port,
      path: flags.path ?? "",
      behaviour: parseBehaviourTexts(flags.behaviour ?? []),
      maxCalls: MAX_CALLS,
      ...(flags.data !== undefined && { data: flags.data }),
      ...(apiKey !== undefined && { apiKey }),
    });
  } catch (error) {
    const problem = problemOf(error, flags.port);
    if (problem === undefined) throw error;
    console.error(`error: ${problem}`);
    process.exitCode = 1;
    return undefined;
  }
}

/** What is wrong with the machine rather than with us or with the flags. */
function problemOf(error: unknown, port: number): string | undefined {
  if (error instanceof DataFileError) return error.message;
  if (!(error instanceof Error && "syscall" in error)) return undefined;
  const remedy = "Choose another with --port, or leave it out for a free one.";
  return `Cannot listen on port ${port}: ${error.message}. ${remedy}`;
}

/** What a user needs to point a stack at the simulator. A key of the user's own is not printed. */
function introduction(
  { url, pageUrl, apiKey }: Simulator,
  { data }: SimulatorFlags,
  hasOwnKey: boolean,
): string {
  const setKey = "pulumi config set --secret webhooks:apiKey";
  const shown = hasOwnKey ? "the one in WEBHOOKS_API_KEY" : apiKey;
  return `Webhook API simulator: ${url}
API key: ${shown}
Webhooks: ${data === undefined ? "in memory" : `kept in ${data}, with their secrets`}
Page, to see and change them: ${pageUrl}

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
