import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { styleText } from "node:util";
import simulator from "../dist/simulator/index.js";
import { getEngine } from "./engine.mts";

const HELP = `npm run demo

Declares the webhooks of examples/quickstart with the real Pulumi engine against the simulator: preview, up,
a change in place, a replacement, the doctor, drift seen and healed, destroy. Everything happens on this machine and in
a temporary folder.
`;

if (process.argv.includes("--help")) {
  process.stdout.write(HELP);
  process.exit();
}

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

/** Copies the example, and lets it find this package as an installed one. */
async function prepare(): Promise<void> {
  await cp(join(root, "examples/quickstart"), join(folder, "quickstart"), { recursive: true });
  await mkdir(join(folder, "node_modules"));
  await symlink(root, join(folder, "node_modules/pulumi-webhooks"));
  await symlink(join(root, "node_modules/@pulumi"), join(folder, "node_modules/@pulumi"));
}

async function show(): Promise<void> {
  title("A stack, and the settings of the API", `The simulator stands in for the API, at ${api.url}`);
  await pulumi("stack", "init", "dev");
  await pulumi("config", "set", "webhooks:baseUrl", api.url);
  await pulumi("config", "set", "--secret", "webhooks:apiKey", { answer: api.apiKey });
  await pulumi("config", "set", "--secret", "hookSecret", { answer: "a secret of the demo" });

  title("What would happen?", "A preview asks the API nothing.");
  await pulumi("preview");
  tellCalls();

  title("Create", "Each create is sent once, with its secret; the id that comes back is kept in the state.");
  await pulumi("up", "--yes", "--skip-preview");
  tellCalls();

  title("Again: nothing to do");
  await pulumi("preview", "--expect-no-changes");
  tellCalls();

  title("Change the address in place", "An update always sends url, name and enabled together.");
  await pulumi("config", "set", "ordersUrl", "https://example.com/hooks/v2/orders");
  await pulumi("up", "--yes", "--skip-preview");
  tellCalls();

  title(
    "Change the secret: a replacement",
    "The new webhook exists before the old one is deleted: no event is lost.",
  );
  await pulumi("config", "set", "--secret", "hookSecret", { answer: "another secret of the demo" });
  await pulumi("up", "--yes", "--skip-preview");
  tellCalls();

  title("Can this API be asked for drift?", "The doctor finds out with a throwaway webhook.");
  await run(
    process.execPath,
    [join(root, "dist/cli/index.js"), "doctor", "--stack", "dev", "--yes"],
    "npx pulumi-webhooks doctor --stack dev --yes",
  );
  api.clearCalls();
  await pulumi("config", "set", "webhooks:drift", "probe");

  title("Drift: someone renames and enables a webhook in the dashboard");
  const refunds = api.webhooks.find(({ name }) => name === "refunds");
  if (refunds === undefined) throw new Error("the webhook refunds is not there");
  api.dashboard.edit(refunds.id, { name: "Do not touch", enabled: true });
  await pulumi("preview", "--refresh", "--run-program", "--diff");
  tellCalls();

  title("The next up puts it right");
  await pulumi("up", "--yes", "--skip-preview", "--refresh", "--run-program");
  tellCalls();

  title("Destroy");
  await pulumi("destroy", "--yes", "--skip-preview");
  tellCalls();

  process.stdout.write(`\n${styleText(["bold", "green"], "The API has no webhooks left.")}\n`);
}

function title(text: string, note = ""): void {
  process.stdout.write(
    `\n${styleText(["bold", "cyan"], `━━ ${text}`)}\n${note && `${styleText("dim", note)}\n`}`,
  );
}

/** Runs the CLI as a user would, in the open. A secret is answered on its standard input. */
async function pulumi(...words: (string | { answer: string })[]): Promise<void> {
  const args = words.filter((word) => typeof word === "string");
  const answer = words.find((word) => typeof word !== "string")?.answer;
  await run("pulumi", args, "pulumi", answer);
}

/** Runs a command in the program's folder; `shown` is what a user would have typed for it. */
async function run(file: string, args: string[], shown: string, answer?: string): Promise<void> {
  const typed = shown === "pulumi" ? `pulumi ${args.join(" ")}` : shown;
  process.stdout.write(styleText("bold", `$ ${typed}\n`));
  const child = spawn(file, args, {
    cwd: join(folder, "quickstart"),
    env,
    stdio: [answer === undefined ? "ignore" : "pipe", "inherit", "inherit"],
  });
  child.stdin?.end(answer);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${typed} ended with ${code}`);
}

/** Shows what was asked of the API since the last time. */
function tellCalls(): void {
  const calls = api.calls.map(
    ({ method, path, status, body }) => `${method} ${path} → ${status}  ${JSON.stringify(body)}`,
  );
  const lines = calls.length === 0 ? ["nothing"] : calls;
  process.stdout.write(
    styleText("yellow", `\nThe API was asked:\n${lines.map((line) => `  ${line}\n`).join("")}`),
  );
  api.clearCalls();
}
