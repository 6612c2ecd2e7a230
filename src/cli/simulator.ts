import { STATUS_CODES } from "node:http";
import { behaviourHelp, parseBehaviourTexts } from "../simulator/behaviour-text.js";
import { DataFileError } from "../simulator/data-file.js";
import type { Call, Simulator } from "../simulator/index.js";
import { startSimulator } from "../simulator/index.js";
import { CommandError } from "./command-error.js";
import { printable } from "./printable.js";

/** The flags of `pulumi-webhooks simulator`. */
export interface SimulatorFlags {
  readonly port: number;
  readonly path?: string;
  readonly data?: string;
  readonly behaviour?: readonly string[];
}

// It may run for weeks: as many as the UI shows.
const MAX_REQUESTS = 100;

/** What `pulumi-webhooks simulator --help` prints below the flags. */
export const SIMULATOR_HELP = `
Environment:
  WEBHOOKS_API_KEY         the API key that the simulator accepts, in visible
                           ASCII (default: simulator-key)

Behavior options, for what the API docs leave open:
${behaviourHelp()}

The UI lists the webhooks and the last ${MAX_REQUESTS} requests, live. Use it to create,
edit and delete webhooks as in the dashboard, to inject faults, and to change
the behavior. Its URL is printed at the start. Like the API, it is reachable
from this machine only, and it rejects requests from other sites.

The webhooks are kept in memory, or in a file with --data, which is created if
it does not exist. THE FILE CONTAINS THE WEBHOOKS' SECRETS; only its owner can
read it. It is written with each change. Use it with one simulator at a time.

Examples:
  $ pulumi-webhooks simulator --port 8080 --path /v1
  $ pulumi-webhooks simulator --port 8080 --data webhooks.json
  $ pulumi-webhooks simulator --behaviour idPlace=id --behaviour idType=string
  $ pulumi-webhooks simulator --behaviour "emptyUpdate=sets updated_at"
  $ pulumi-webhooks simulator --behaviour rateLimit=5:10:headers

It prints a line for each request, never a key or a secret. Press Ctrl-C to end.
Exit codes: 0 stopped by Ctrl-C, 1 cannot run, 2 wrong usage.`;

/**
 * Runs the simulator until Ctrl-C.
 * @throws RangeError for an invalid flag.
 * @throws CommandError if this machine does not let it run.
 */
export async function runSimulator(flags: SimulatorFlags): Promise<void> {
  // From the environment only: every user of the machine can read a command line, and shells keep it in a history.
  const ownKey = process.env.WEBHOOKS_API_KEY || undefined;
  const simulator = await start(flags, ownKey);
  // A reader such as `head -1` may close the pipe: the simulator goes on without its output.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  simulator.onCall = (request) => console.log(describeRequest(request));
  const stop = () => void simulator.close();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  console.log(introduction(simulator, { data: flags.data, hasOwnKey: ownKey !== undefined }));
}

async function start(flags: SimulatorFlags, apiKey: string | undefined): Promise<Simulator> {
  try {
    return await startSimulator({
      port: flags.port,
      path: flags.path ?? "",
      behaviour: parseBehaviourTexts(flags.behaviour ?? []),
      maxCalls: MAX_REQUESTS,
      ...(flags.data !== undefined && { data: flags.data }),
      ...(apiKey !== undefined && { apiKey }),
    });
  } catch (error) {
    if (error instanceof DataFileError) throw new CommandError(error.message);
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new CommandError(
      `Cannot listen on port ${flags.port}: ${error.message}. Choose another port with --port, or omit it to use a free one.`,
    );
  }
}

/** Explains how to point a stack at the simulator. It does not print the user's own key. */
function introduction(
  { url, pageUrl, apiKey }: Simulator,
  { data, hasOwnKey }: { data: string | undefined; hasOwnKey: boolean },
): string {
  const setKey = "pulumi config set --secret webhooks:apiKey";
  return `Webhook API simulator: ${url}
API key: ${hasOwnKey ? "from WEBHOOKS_API_KEY" : apiKey}
Webhooks: ${data === undefined ? "in memory" : `in ${data}, with their secrets`}
UI: ${pageUrl}

Point a stack at it:
  pulumi config set webhooks:baseUrl ${url}
  ${hasOwnKey ? `printenv WEBHOOKS_API_KEY | ${setKey}` : `${setKey} ${apiKey}`}
or a shell, for stacks without these settings:
  export WEBHOOKS_BASE_URL=${url}${hasOwnKey ? "" : `\n  export WEBHOOKS_API_KEY=${apiKey}`}

Press Ctrl-C to stop. Each request is listed when it ends:`;
}

/** Describes a request in one line: `12:00:01  update  200 OK  webhook_id "42", name "Orders"`. */
function describeRequest({ at, operation, method, path, status, body, fault, committed }: Call): string {
  const parts = [
    new Date(at).toTimeString().slice(0, 8),
    operation === "unknown" ? `${method} ${path}` : operation,
    status === undefined ? "no reply" : [status, STATUS_CODES[status]].join(" ").trim(),
    describeFields(body),
    fault === undefined ? "" : `fault: ${fault} (${committed ? "took effect" : "no effect"})`,
  ];
  return printable(parts.filter((part) => part !== "").join("  "));
}

function describeFields(body: unknown): string {
  const fields = new Map<string, unknown>(Object.entries(body ?? {}));
  return ["webhook_id", "name", "enabled"]
    .filter((name) => fields.has(name))
    .map((name) => `${name} ${JSON.stringify(fields.get(name))}`)
    .join(", ");
}
