import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { styleText } from "node:util";
import simulator from "../simulator/dist/index.js";
import { parseOptions } from "./command-line.mts";
import { sharedCompileCache } from "./compile-cache.mts";
import { getEngine } from "./engine.mts";

const HELP = `Usage: npm run demo

Runs examples/quickstart with the real Pulumi engine and the simulator: preview, up, an update in place, a replacement,
the doctor, drift, destroy. Everything happens on this machine, in a temporary folder.
`;

parseOptions(HELP, {});

const root = join(import.meta.dirname, "..");
const { bin, version } = await getEngine();
const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-demo-"));
const program = join(folder, "quickstart");
const api = await simulator.startSimulator({ path: "/v1" });
const UP = "pulumi up --yes --skip-preview";
// The runs share what they compile, and tests check the types of the example.
Object.assign(process.env, sharedCompileCache(join(folder, "compile-cache")));
process.env.PULUMI_NODEJS_TRANSPILE_ONLY = "true";

try {
  // The example, with this package installed.
  await cp(join(root, "examples/quickstart"), program, { recursive: true });
  await mkdir(join(folder, "node_modules/.bin"), { recursive: true });
  await symlink(root, join(folder, "node_modules/pulumi-webhooks"));
  await symlink(join(root, "dist/commands/index.js"), join(folder, "node_modules/.bin/pulumi-webhooks"));
  await symlink(join(root, "node_modules/@pulumi"), join(folder, "node_modules/@pulumi"));
  await show();
} finally {
  await api.close();
  await rm(folder, { recursive: true, force: true });
}

async function show(): Promise<void> {
  process.stdout.write(`This demo runs Pulumi ${version} from ${bin}, in a temporary folder.\n`);
  title("Create a stack and configure it", `The simulator stands in for the API at ${api.url}.`);
  await run("pulumi stack init dev");
  await run(`pulumi config set webhooks:baseUrl ${api.url}`);
  await run("pulumi config set --secret webhooks:apiKey", api.apiKey);
  await run("pulumi config set --secret hookSecret", "a secret of the demo");

  title("Preview", "A preview sends no requests.");
  await runAndShow("pulumi preview");

  title("Create", "Each create is sent once. The state keeps the id from the reply.");
  await runAndShow(UP);

  title("Preview again: no changes", "The state matches the program, so nothing is sent.");
  await runAndShow("pulumi preview --expect-no-changes");

  title("Change a URL: an update in place", "An update always sends url, name and enabled.");
  await run("pulumi config set ordersUrl https://example.com/hooks/v2/orders");
  await runAndShow(UP);

  title(
    "Change the secret: a replacement",
    "The new webhook is created before the old one is deleted, so one of them always delivers.",
  );
  await run("pulumi config set --secret hookSecret", "another secret of the demo");
  await runAndShow(UP);

  title("Check how the API behaves", "The doctor uses a throwaway webhook, and deletes it.");
  await run("npx pulumi-webhooks doctor --stack dev --yes");
  api.clearCalls();
  await run("pulumi config set webhooks:drift probe");

  title(
    "Drift: someone renames and enables a webhook in the dashboard",
    "A probe, an update that sends only the id, shows what the API has.",
  );
  const refunds = api.webhooks.find(({ name }) => name === "refunds");
  if (refunds === undefined) throw new Error("the webhook refunds does not exist");
  api.dashboard.edit(refunds.id, { name: "Do not touch", enabled: true });
  // A minute later: a probe does not trust a time that it may have set itself.
  api.behavior.clockSkewSeconds += 60;
  await runAndShow("pulumi preview --refresh --run-program --diff");

  title("The next up corrects it", "It sends url, name and enabled of the webhook that changed.");
  await runAndShow(`${UP} --refresh --run-program`);

  title("Destroy", "Each webhook is deleted by its id.");
  await runAndShow("pulumi destroy --yes --skip-preview");

  process.stdout.write(`\n${styleText(["bold", "green"], "The API has no webhooks left.")}\n`);
  process.stdout.write(`
To declare your own webhooks, see README.md, section Usage.
To try your own program with the simulator, run npm run simulator.
`);
}

function title(text: string, note?: string): void {
  process.stdout.write(`\n${styleText(["bold", "cyan"], `━━ ${text}`)}\n`);
  if (note !== undefined) process.stdout.write(`${styleText("dim", note)}\n`);
}

/** Shows a command, and runs it in the program's folder. It reads an answer, a secret, from its standard input. */
async function run(command: string, answer = ""): Promise<void> {
  process.stdout.write(styleText("bold", `$ ${command}\n`));
  const child = spawn(command, {
    shell: true,
    cwd: program,
    env: {
      ...process.env,
      PATH: [bin, process.env.PATH].join(delimiter),
      PULUMI_HOME: join(folder, "home"),
      PULUMI_BACKEND_URL: `file://${folder}`,
      PULUMI_CONFIG_PASSPHRASE: "demo",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    },
    stdio: ["pipe", "inherit", "inherit"],
  });
  child.stdin?.on("error", () => {}).end(answer); // The command may end before it reads.
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}

/** Runs a command, and prints the requests that it sent. */
async function runAndShow(command: string): Promise<void> {
  await run(command);
  const calls = api.calls.map(
    ({ method, path, status, body }) => `${method} ${path} → ${status}  ${JSON.stringify(body)}`,
  );
  const lines = (calls.length === 0 ? ["none"] : calls).map((line) => `  ${line}\n`).join("");
  process.stdout.write(styleText("yellow", `\nRequests:\n${lines}`));
  api.clearCalls();
}
