import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { startSimulator } from "../../simulator/src/index.js";
import { KEY, Stack } from "../support/stack.js";
import { installExample } from "./install.js";

let installed: string;
beforeAll(async () => {
  installed = await installExample("fleet");
});

it("passes its own tests and the type check", async () => {
  await using stack = await Stack.create();
  // Its tests create a stack of their own.
  delete stack.environment.PULUMI_STACK;
  const report = join(stack.folder, "tests.json");
  const options = ["--reporter=json", `--outputFile=${report}`];
  const tests = await stack.command("npm", "--prefix", installed, "test", "--", ...options);
  expect(tests).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(report, "utf8"))).toMatchObject({ numPassedTests: 4, numTotalTests: 4 });
  const types = await stack.command(join(installed, "node_modules/.bin/tsc"), "--project", installed);
  expect(types).toMatchObject({ code: 0, output: "" });
});

const FILES = ["index.ts", "read-teams.ts", "team-file.ts", "team.ts", "teams", "tsconfig.json"];
/** Those that the teams' files name. */
const SECRETS = ["paymentsOrders", "paymentsRefunds", "logisticsShipments"];

it("keeps the webhooks of a renamed team, and protects a critical one until critical is false", async () => {
  await using stack = await Stack.create({ project: installed, compiledByPulumi: true });
  const eu = await startSimulator({ apiKey: KEY });
  onTestFinished(() => eu.close());
  for (const file of FILES) await cp(join(installed, file), join(stack.folder, file), { recursive: true });
  const secrets = Object.fromEntries(SECRETS.map((secret) => [secret, secret]));
  const keys = { "us:apiKey": KEY, "eu:apiKey": KEY };
  await stack.configure({ "us:baseUrl": stack.api.url, "eu:baseUrl": eu.url }, { ...keys, ...secrets });
  const payments = join(stack.folder, "teams/payments.yaml");
  const billing = join(stack.folder, "teams/billing.yaml");
  await stack.up();
  const names = () => stack.api.webhooks.map(({ name }) => name).sort();
  const ids = stack.api.webhooks.map(({ id }) => id).sort();
  const team = await readFile(payments, "utf8");
  await rm(payments);
  expect(await stack.fails("preview")).toMatch(/payments\/orders" cannot be deleted\s+because it is/);

  await writeFile(billing, `renamedFrom: payments\n${team}`);
  await stack.up();
  expect(stack.api.webhooks.map(({ id }) => id).sort()).toEqual(ids);
  expect(names()).toEqual(["billing/orders", "billing/refunds", "logistics/shipments"]);
  await writeFile(billing, team);
  await stack.expectNoChanges();

  stack.takeCalls();
  await stack.configure({}, { paymentsOrders: "a new secret" });
  expect(await stack.fails("preview")).toMatch(/unable to replace resource "\S+billing\/orders"/);
  const id = stack.idOf("billing/orders");
  await writeFile(billing, team.replace("critical: true", "critical: false"));
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create billing/orders", `delete ${id}`]);
  await rm(billing);
  await stack.up();
  expect(names()).toEqual(["logistics/shipments"]);
});
