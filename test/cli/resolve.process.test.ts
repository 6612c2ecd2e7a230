import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { ExportedResource } from "../../src/stack/stack-export.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { BuiltCommand } from "./built-command.js";
import { FakePulumi } from "./fake-pulumi.js";

vi.setConfig({ testTimeout: 30_000 });

let command: BuiltCommand;
let pulumi: FakePulumi;
let home: string;
beforeAll(() => {
  command = new BuiltCommand();
}, 60_000);
afterAll(() => command[Symbol.dispose]());
beforeEach(() => {
  pulumi = new FakePulumi(command.folder);
  home = join(command.folder, "home");
  rmSync(home, { recursive: true, force: true });
});

const webhook = (name: string, id: string): ExportedResource => ({
  urn: `urn:pulumi:dev::test::${WEBHOOK_TYPE}::${name}`,
  type: WEBHOOK_TYPE,
  id,
  created: "2026-01-01T11:00:00Z",
  outputs: { url: "https://example.com/orders", name, enabled: true, baseUrl: "https://api.example.com" },
});
const inDoubt = webhook("it's", "in-doubt:2026-01-01T12:00:00.000Z-abcd");
const { id, created, ...pending } = webhook("orders", "1");
/** A create during which a run was killed, and that is resolved. */
const settled = { type: "creating", resource: pending };
const settings = {
  urn: "urn:p",
  id: "1",
  type: "pulumi:providers:pulumi-nodejs",
  inputs: { "webhooks:baseUrl": "https://api.example.com" },
};
/** One that is not. */
const killed = {
  type: "creating",
  resource: { ...webhook("killed", ""), created: "2026-01-01T10:00:00Z", provider: "urn:p::1" },
};

const resolve = (options: string[], how?: Parameters<FakePulumi["environment"]>[0]) =>
  command.start(["resolve", "--stack", "dev", ...options], { ...pulumi.environment(how), PULUMI_HOME: home })
    .ended;

/** Lists the copies of the states that were replaced. */
const copies = () => {
  const folder = join(home, "webhooks/backups");
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
};

it("asks nothing with --json, and writes only with --record or answers", async () => {
  pulumi.setState({ deployment: { resources: [inDoubt, settings], pending_operations: [killed] } });
  const stored = pulumi.read("stack.json");
  const { code, out } = await resolve(["--json"]);
  expect({ code, ...JSON.parse(out) }).toMatchObject({
    code: 1,
    stack: "dev",
    resolved: [],
    unresolved: [
      { resource: "it's", reason: "no reply" },
      { resource: "killed", reason: "killed" },
    ],
    unconfirmed: [],
  });
  expect(pulumi.read("stack.json")).toBe(stored);

  const recorded = await resolve(["--record"]);
  expect(recorded).toMatchObject({ code: 1, out: expect.stringContaining("killed: unresolved.") });
  const { deployment } = JSON.parse(pulumi.read("stack.json"));
  expect(deployment.pending_operations).toEqual([]);
  expect(deployment.resources).toHaveLength(3);

  const answered = await resolve(["--found", "it's=42", "--none", "killed", "--json"]);
  expect({ code: answered.code, ...JSON.parse(answered.out) }).toMatchObject({
    code: 0,
    resolved: [{ found: "42" }, { none: true }],
    unresolved: [],
  });
  expect(JSON.parse(pulumi.read("stack.json")).deployment.resources).toEqual([
    expect.objectContaining({ id: "42" }),
    settings,
  ]);
});

it("removes the pending operations of webhooks by itself, and says what the next up sends again", async () => {
  const resources = [webhook("orders", "1"), webhook("refunds", "2")];
  const updating = { type: "updating", resource: webhook("refunds", "2") };
  pulumi.setState({ deployment: { resources, pending_operations: [settled, updating] } });
  const { code, out } = await resolve([]);
  expect(out).toContain("refunds: a run was killed while it was changing it.");
  expect(out).toContain("Nothing is unresolved in stack dev.");
  expect(code).toBe(0);
  const { deployment } = JSON.parse(pulumi.read("stack.json"));
  expect(deployment.pending_operations).toEqual([]);
  expect(deployment.resources).toMatchObject([
    { outputs: { name: "orders" } },
    { outputs: { unconfirmed: true } },
  ]);
});

it("drops the pending operations of other resources only with --drop-others", async () => {
  const other = { type: "creating", resource: { urn: "urn:bucket", type: "aws:s3/bucket:Bucket" } };
  pulumi.setState({ deployment: { resources: [inDoubt], pending_operations: [other] } });
  const stored = pulumi.read("stack.json");
  const refused = await resolve(["--found", "it's=42"]);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("during operations on other resources:\n  urn:bucket\n");
  expect(refused.err).toMatch(
    /Then run: npx pulumi-webhooks resolve --stack dev --found \S+=42' --drop-others\n$/,
  );
  expect(pulumi.read("stack.json")).toBe(stored);
  expect(await resolve(["--found", "it's=42", "--drop-others"])).toMatchObject({ code: 0 });
});

it("asks for the Provider and the base URL that the state lacks, and for no answer again", async () => {
  const urn = "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::eu";
  const pending_operations = [{ ...killed, resource: { ...killed.resource, provider: `${urn}::1` } }];
  pulumi.setState({ deployment: { resources: [settings], pending_operations } });
  const missing = await resolve(["--found", "killed=7"]);
  expect(missing.err).toContain("has left it. Declare the webhook and its Provider again, and run pulumi up");
  expect(missing.code).toBe(1);

  // It has another id since, and its URL is from the environment.
  const provider = { ...settings, urn, id: "2", inputs: { "webhooks:explicitProvider": "eu" } };
  pulumi.setState({ deployment: { resources: [settings, provider], pending_operations } });
  const { code, err } = await resolve(["--found", "killed=7"]);
  expect(err).toContain("The state does not show at which base URL");
  expect(err).toContain(
    "Add --base-url <URL>. If you have deleted the webhook there, add --none killed instead.",
  );
  expect(code).toBe(1);
  expect(await resolve(["--found", "killed=7", "--base-url", "https://api.example.com"])).toMatchObject({
    code: 0,
  });
  expect(JSON.parse(pulumi.read("stack.json")).deployment.resources).toMatchObject([
    settings,
    provider,
    { id: "7", provider: `${urn}::2`, outputs: { baseUrl: "https://api.example.com" } },
  ]);
});

it("refuses the id of another resource's webhook", async () => {
  pulumi.setState({ deployment: { resources: [webhook("orders", "101"), inDoubt] } });
  const { code, err } = await resolve(["--found", "it's=101"]);
  expect(err).toBe(
    `error: The state was not changed. Webhook 101 belongs to ${webhook("orders", "").urn} already.\n`,
  );
  expect(code).toBe(1);
});

it("keeps the copy if pulumi stack import is killed and has changed the state", async () => {
  pulumi.setState({ deployment: { resources: [inDoubt] } });
  const { code, err } = await resolve(["--found", "it's=1"], "write, kill");
  const [copy = ""] = copies();
  expect(JSON.parse(readFileSync(copy, "utf8")).deployment.resources).toEqual([inDoubt]);
  expect(err).toBe(`error: pulumi stack import was ended by SIGKILL.
It is unknown whether it changed the state. The state before it is in ${copy}. To restore that, run pulumi stack import --stack dev --file ${copy}.
Then run: npx pulumi-webhooks resolve --stack dev --found 'urn:pulumi:dev::test::${WEBHOOK_TYPE}::it'\\''s=1'
`);
  expect(code).toBe(1);
});

it("keeps the copy if pulumi stack import has changed the state and could not unlock it", async () => {
  pulumi.setState({ deployment: { resources: [inDoubt] } });
  const { code, err } = await resolve(["--none", "it's"], "write, fail to unlock");
  const [copy = ""] = copies();
  expect(JSON.parse(readFileSync(copy, "utf8")).deployment.resources).toEqual([inDoubt]);
  expect(err).toContain("It is unknown whether it changed the state.");
  expect(code).toBe(1);
});

it("removes the copy if pulumi stack import fails and has not changed the state", async () => {
  pulumi.setState({ deployment: { resources: [inDoubt] } });
  const { code, err } = await resolve(["--none", "it's"], "fail");
  expect(err).toContain("error: The state was not changed. pulumi stack import failed: the disk is full\n");
  expect(code).toBe(1);
  expect(copies()).toEqual([]);
});

it("says how to undo the answers", async () => {
  pulumi.setState({ deployment: { resources: [settings, inDoubt], pending_operations: [killed] } });
  const first = await resolve(["--none", "killed"]);
  expect(first.out).toContain(
    "killed: does not exist. The next pulumi up creates it, if the program declares it.",
  );
  const [, copy = ""] = /run pulumi stack import --stack dev --file (\S+)\. /.exec(first.out) ?? [];
  expect(copies()).toEqual([copy]);
  // pulumi stack import would drop a pending create, so the copy has it in doubt.
  const { deployment } = JSON.parse(readFileSync(copy, "utf8"));
  expect(deployment.pending_operations).toEqual([]);
  expect(deployment.resources).toContainEqual(
    expect.objectContaining({
      urn: expect.stringMatching(/killed$/),
      id: expect.stringMatching(/^in-doubt:/),
    }),
  );
});

it("says which file to remove if a kill has hit the file backend while it wrote", async () => {
  const { broken, whole } = pulumi.breakBackend();
  const { code, err } = await resolve([]);
  expect(
    err,
  ).toBe(`error: The state of stack dev could not be read. pulumi stack export failed: failed to load checkpoint: EOF
A run was killed while Pulumi wrote the state, and left an empty file. Remove it, then run this command again: rm ${broken}
`);
  expect(err).not.toContain(whole);
  expect(code).toBe(1);
});
