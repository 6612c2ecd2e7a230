import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { Fleet } from "./fleet.js";
import { installExample } from "./install.js";

let installed: string;
beforeAll(async () => {
  installed = await installExample("fleet");
});

it("passes its own tests and the type check", async () => {
  await using fleet = await Fleet.create(installed);
  // Its tests create a stack of their own.
  delete fleet.stack.environment.PULUMI_STACK;
  const report = join(fleet.stack.folder, "tests.json");
  const options = ["--reporter=json", `--outputFile=${report}`];
  const tests = await fleet.stack.command("npm", "--prefix", installed, "test", "--", ...options);
  expect(tests).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(report, "utf8"))).toMatchObject({ numPassedTests: 4, numTotalTests: 4 });
  const types = await fleet.stack.command(join(installed, "node_modules/.bin/tsc"), "--project", installed);
  expect(types).toMatchObject({ code: 0, output: "" });
});

it("reports the problems of all files in a preview, and declares nothing", async () => {
  await using fleet = await Fleet.create(installed);
  await fleet.write("shop", "webhooks:\n\torders: {}\n");
  await fleet.edit("payments", "enabled: false", "enabled: no");
  await fleet.edit("logistics", "secret: logisticsShipments", "secret: whsec-canary");
  const output = await fleet.stack.fails("preview");
  expect(output).toContain(
    [
      "    error: The teams' files have problems, so nothing is declared:",
      "      teams/logistics.yaml:5 webhooks.shipments.secret: The stack's config has no such key. Set it with pulumi config set --secret",
      "      teams/payments.yaml:11 webhooks.refunds.enabled: Invalid input: expected boolean, received string",
      "      teams/shop.yaml:2: Tabs are not allowed as indentation\n",
    ].join("\n"),
  );
  expect(output).not.toContain("whsec-canary");
  expect(output).not.toContain("dynamic/webhooks");
});

it("keeps the webhooks of a renamed team, and protects a critical one until critical is false", async () => {
  await using fleet = await Fleet.create(installed);
  await fleet.stack.up();
  const names = () => fleet.us.webhooks.map(({ name }) => name).sort();
  const ids = fleet.us.webhooks.map(({ id }) => id).sort();
  const payments = await fleet.read("payments");
  await fleet.remove("payments");
  expect(await fleet.stack.fails("preview")).toMatch(
    /payments\/orders" cannot be deleted\s+because it is protected/,
  );

  await fleet.write("billing", `renamedFrom: payments\n${payments}`);
  await fleet.stack.up();
  expect(fleet.us.webhooks.map(({ id }) => id).sort()).toEqual(ids);
  expect(names()).toEqual(["billing/orders", "billing/refunds", "logistics/shipments"]);
  await fleet.write("billing", payments);
  await fleet.stack.expectNoChanges();

  fleet.stack.takeCalls();
  await fleet.stack.configure({}, { paymentsOrders: "a new secret" });
  expect(await fleet.stack.fails("preview")).toMatch(/unable to replace resource "\S+billing\/orders"/);
  const { id } = fleet.us.webhooks.find(({ name }) => name === "billing/orders") ?? { id: "" };
  await fleet.edit("billing", "critical: true", "critical: false");
  await fleet.stack.up();
  expect(fleet.stack.takeCalls()).toEqual(["create billing/orders", `delete ${id}`]);
  await fleet.remove("billing");
  await fleet.stack.up();
  expect(names()).toEqual(["logistics/shipments"]);
});
