import { Help } from "commander";
import { behaviorTexts, parseBehavior, withTexts } from "./behavior.js";
import { MAX_REQUESTS } from "./control/view.js";
import { faultSyntax, parseRule, SCOPE } from "./fault-notation.js";
import { type Behavior, type Call, type Simulator, startSimulator } from "./index.js";
import { describeCall } from "./request-log.js";

/** The flags of `pulumi-webhooks-simulator`. */
export interface SimulatorFlags {
  readonly port: number;
  readonly host?: string;
  readonly path?: string;
  readonly file?: string;
  readonly behavior?: readonly string[];
  readonly fault?: readonly string[];
}

const INDENT = " ".repeat(27);

/** What `pulumi-webhooks-simulator --help` prints below the flags. */
export const SIMULATOR_HELP = `
Environment:
  WEBHOOKS_API_KEY         the API key that the simulator accepts, in visible
                           ASCII (default: simulator-key)

Behavior options, for what the API docs leave open, the default first:
${behaviorHelp()}

Faults, by default for the next request. Texts with spaces or commas are JSON
strings:
${wrap(SCOPE, "  ", "    ")}
${faultHelp()}

The page lists the webhooks and the last ${MAX_REQUESTS} requests, live. Use it to create,
edit and delete webhooks as in the dashboard, to inject faults, and to change
the behavior. Programs do the same with the control API. The URLs of both are
printed at the start. They reject requests from other sites, and like the API,
only this machine reaches them, without --host. They require no key: use --host
in containers and networks for tests.

The webhooks are gone when the simulator ends, unless --file keeps them. That
file contains their secrets.

Examples:
  $ pulumi-webhooks-simulator --port 8080 --path /v1 --file webhooks.json
  $ pulumi-webhooks-simulator --behavior idPlace=id --behavior idType=string
  $ pulumi-webhooks-simulator --behavior "emptyUpdate=sets updated_at"
  $ pulumi-webhooks-simulator --behavior rateLimit=5:10:headers
  $ pulumi-webhooks-simulator --fault "create: reset after commit"
  $ pulumi-webhooks-simulator --fault "latency 5000 ms, always"

It prints a line for each request, without key and secret. Press Ctrl-C to end.
Exit codes: 0 stopped by Ctrl-C, 1 cannot run, 2 wrong usage.`;

/** Explains why this machine does not let the simulator run. */
export class CannotRunError extends Error {
  override readonly name = "CannotRunError";
}

/** Runs the simulator until Ctrl-C. Resolves when it has started. @throws RangeError for an invalid flag, or CannotRunError. */
export async function runSimulator(flags: SimulatorFlags): Promise<Simulator> {
  // From the environment only: every user of the machine can read a command line, and shells keep it in a history.
  const ownKey = process.env.WEBHOOKS_API_KEY || undefined;
  const simulator = await start(flags, ownKey);
  simulator.onCall = (request) => console.log(printable(describeRequest(request)));
  const stop = () => void simulator.close();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  console.log(introduction(simulator, ownKey !== undefined));
  return simulator;
}

async function start(flags: SimulatorFlags, apiKey: string | undefined): Promise<Simulator> {
  const { fault = [], behavior = [], ...options } = flags;
  const rules = fault.map(parseRule);
  try {
    const simulator = await startSimulator({
      ...options,
      behavior: parseBehaviorTexts(behavior),
      maxCalls: MAX_REQUESTS, // It may run for weeks.
      ...(apiKey !== undefined && { apiKey }),
    });
    for (const rule of rules) simulator.inject(rule);
    return simulator;
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new CannotRunError(
      error.syscall === "listen" || error.syscall === "getaddrinfo"
        ? `Cannot listen: ${error.message}. Choose another --port or --host, or omit them.`
        : `Cannot use the file of --file: ${error.message}.`,
    );
  }
}

/** Explains how to point a stack at the simulator. It does not print the user's own key. */
function introduction({ url, pageUrl, controlUrl, apiKey }: Simulator, hasOwnKey: boolean): string {
  return `Webhook API simulator: ${url}
API key: ${hasOwnKey ? "from WEBHOOKS_API_KEY" : apiKey}
Page: ${pageUrl}
Control API: ${controlUrl}

Point a stack at it. Keep the key out of its config, which a pipeline would use, too:
  pulumi config set webhooks:baseUrl ${url}${hasOwnKey ? "" : `\n  export WEBHOOKS_API_KEY=${apiKey}`}

Press Ctrl-C to stop. Each request is listed when it ends:`;
}

/** Makes a text printable: no name may control the terminal, or look like a line of ours. */
function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
}

/** Describes a request in one line: `2026-01-31 12:00:01 UTC  update  200 OK  webhook_id "42", name "Orders"`. */
function describeRequest(call: Call): string {
  const { title, outcome, fault } = describeCall(call);
  const time = `${call.at.slice(0, 19).replace("T", " ")} UTC`;
  const parts = [time, title, outcome, describeFields(call.body), fault && `fault: ${fault}`];
  return parts.filter(Boolean).join("  ");
}

function describeFields(body: unknown): string {
  const fields = new Map<string, unknown>(Object.entries(body ?? {}));
  return ["webhook_id", "name", "enabled"]
    .filter((name) => fields.has(name))
    .map((name) => `${name} ${JSON.stringify(fields.get(name))}`)
    .join(", ");
}

function behaviorHelp(): string {
  const rows = behaviorTexts(parseBehavior({})).map(({ key, meaning, values, form, initial }) => {
    const allowed = values ? form : `${form} (default: ${initial || "none"})`;
    return `  ${key.padEnd(24)} ${meaning}\n${wrap(allowed, INDENT, INDENT)}`;
  });
  return rows.join("\n");
}

function faultHelp(): string {
  return faultSyntax()
    .map(({ syntax, meaning }) => `${wrap(syntax, "  ", "    ")}\n${wrap(meaning, INDENT, INDENT)}`)
    .join("\n");
}

/** Breaks a text into indented lines of at most 80 columns. */
function wrap(text: string, first: string, next: string): string {
  const lines = new Help().boxWrap(text, 80 - next.length).split("\n");
  return lines.map((line, index) => `${index === 0 ? first : next}${line}`).join("\n");
}

/** Parses `key=value` texts. @throws RangeError that names each wrong option and the values it allows. */
export function parseBehaviorTexts(texts: readonly string[]): Behavior {
  const defaults = parseBehavior({});
  const given = texts.map((text) => {
    const [, key = "", value = ""] = /^(\w+)=(.*)$/s.exec(text) ?? [];
    if (key !== "") return [key, value];
    throw new RangeError(`"${text}" is not key=value; the keys are ${Object.keys(defaults).join(", ")}`);
  });
  return withTexts(defaults, Object.fromEntries(given));
}
