import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { styleText } from "node:util";
import simulator from "../dist/simulator/index.js";
import { parseOptions } from "./command-line.mts";
import { getEngine } from "./engine.mts";

const HELP = `Usage: npm run demo

Runs examples/quickstart with the real Pulumi engine and the simulator: preview, up, an update in place, a replacement,
the doctor, drift, destroy. Everything happens on this machine, in a temporary folder.
`;

parseOptions(HELP, {});

const root = join(import.meta.dirname, "..");
const { bin } = await getEngine();
const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-demo-"));
const api = await simulator.startSimulator({ path: "/v1" });
const env = {
  ...process.env,
  PATH: bin + delimiter + process.env.PATH,
  PULUMI_HOME: join(folder, "home"),
  PULUMI_BACKEND_URL: `file://${folder}`,
  PULUMI_CONFIG_PASSPHRASE: "demo",
  PULUMI_SKIP_UPDATE_CHECK: "true",
};

try {
  await prepare();
  await show();
} finally {
  await api.close();
  await rm(folder, { recursive: true, force: true });
}

/** Copies the example, with this package installed. */
async function prepare(): Promise<void> {
  await cp(join(root, "examples/quickstart"), join(folder, "quickstart"), { recursive: true });
  await mkdir(join(folder, "node_modules"));
  await symlink(root, join(folder, "node_modules/pulumi-webhooks"));
  await symlink(join(root, "node_modules/@pulumi"), join(folder, "node_modules/@pulumi"));
}

async function show(): Promise<void> {
  title("Create a stack and configure it", `The simulator stands in for the API at ${api.url}.`);
  await pulumi("stack", "init", "dev");
  await pulumi("config", "set", "webhooks:baseUrl", api.url);
  await pulumi("config", "set", "--secret", "webhooks:apiKey", { answer: api.apiKey });
  await pulumi("config", "set", "--secret", "hookSecret", { answer: "a secret of the demo" });

  title("Preview", "A preview sends no requests.");
  await pulumi("preview");
  printRequests();

  title("Create", "Each create is sent once. The state keeps the id from the reply.");
  await pulumi("up", "--yes", "--skip-preview");
  printRequests();

  title("Preview again: no changes");
  await pulumi("preview", "--expect-no-changes");
  printRequests();

  title("Change a URL: an update in place", "An update always sends url, name and enabled.");
  await pulumi("config", "set", "ordersUrl", "https://example.com/hooks/v2/orders");
  await pulumi("up", "--yes", "--skip-preview");
  printRequests();

  title(
    "Change the secret: a replacement",
    "The new webhook is created before the old one is deleted, so no event is lost.",
  );
  await pulumi("config", "set", "--secret", "hookSecret", { answer: "another secret of the demo" });
  await pulumi("up", "--yes", "--skip-preview");
  printRequests();

  title("Check how the API behaves", "The doctor uses two throwaway webhooks, and deletes them.");
  await run({
    file: process.execPath,
    args: [join(root, "dist/cli/index.js"), "doctor", "--stack", "dev", "--yes"],
    shown: "npx pulumi-webhooks doctor --stack dev --yes",
  });
  api.clearCalls();
  await pulumi("config", "set", "webhooks:drift", "probe");

  title("Drift: someone renames and enables a webhook in the dashboard");
  const refunds = api.webhooks.find(({ name }) => name === "refunds");
  if (refunds === undefined) throw new Error("the webhook refunds does not exist");
  api.dashboard.edit(refunds.id, { name: "Do not touch", enabled: true });
  await pulumi("preview", "--refresh", "--run-program", "--diff");
  printRequests();

  title("The next up corrects it");
  await pulumi("up", "--yes", "--skip-preview", "--refresh", "--run-program");
  printRequests();

  title("Destroy");
  await pulumi("destroy", "--yes", "--skip-preview");
  printRequests();

  process.stdout.write(`\n${styleText(["bold", "green"], "The API has no webhooks left.")}\n`);
}

function title(text: string, note = ""): void {
  process.stdout.write(
    `\n${styleText(["bold", "cyan"], `━━ ${text}`)}\n${note && `${styleText("dim", note)}\n`}`,
  );
}

/** Runs the CLI as a user would, and shows the command. It reads `answer`, a secret, from its standard input. */
async function pulumi(...words: (string | { answer: string })[]): Promise<void> {
  const args = words.filter((word) => typeof word === "string");
  const answer = words.find((word) => typeof word !== "string")?.answer;
  await run({ file: "pulumi", args, answer });
}

interface Command {
  file: string;
  args: string[];
  /** What a user would type, if that is another text. */
  shown?: string;
  /** What the command reads from its standard input. */
  answer?: string | undefined;
}

/** Shows a command and runs it in the program's folder. */
async function run({ file, args, shown = [file, ...args].join(" "), answer }: Command): Promise<void> {
  process.stdout.write(styleText("bold", `$ ${shown}\n`));
  const child = spawn(file, args, {
    cwd: join(folder, "quickstart"),
    env,
    stdio: [answer === undefined ? "ignore" : "pipe", "inherit", "inherit"],
  });
  child.stdin?.end(answer);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${shown} ended with ${code}`);
}

/** Prints the requests since the last time. */
function printRequests(): void {
  const calls = api.calls.map(
    ({ method, path, status, body }) => `${method} ${path} → ${status}  ${JSON.stringify(body)}`,
  );
  const lines = calls.length === 0 ? ["none"] : calls;
  process.stdout.write(styleText("yellow", `\nRequests:\n${lines.map((line) => `  ${line}\n`).join("")}`));
  api.clearCalls();
}
