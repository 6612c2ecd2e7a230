import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { ExportedResource } from "../../src/stack/stack-export.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { BuiltCommand } from "./built-command.js";
import { FakePulumi } from "./fake-pulumi.js";

vi.setConfig({ testTimeout: 30_000 });

let command: BuiltCommand;
let pulumi: FakePulumi;
beforeAll(() => {
  command = new BuiltCommand();
}, 60_000);
afterAll(() => command[Symbol.dispose]());
beforeEach(() => {
  pulumi = new FakePulumi(command.folder);
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

const resolve = (options: string[], how?: Parameters<FakePulumi["environment"]>[0]) =>
  command.start(["resolve", "--stack", "dev", ...options], pulumi.environment(how)).ended;

it("removes the entries of resolved creates, but not with --json", async () => {
  const deployment = { resources: [webhook("orders", "1")], pending_operations: [settled] };
  pulumi.setState({ deployment });
  const stored = pulumi.read("stack.json");
  const { code, out } = await resolve(["--json"]);
  expect({ code, ...JSON.parse(out) }).toEqual({
    code: 0,
    stack: "dev",
    resolved: [],
    unresolved: [],
    entered: [],
  });
  expect(pulumi.read("stack.json")).toBe(stored);
  expect(await resolve([])).toMatchObject({ code: 0 });
  expect(JSON.parse(pulumi.read("stack.json"))).toEqual({
    deployment: { ...deployment, pending_operations: [] },
  });
});

it.each([
  ["an update of a webhook", { type: "updating", resource: webhook("orders", "1") }],
  [
    "a create of another resource",
    { type: "creating", resource: { urn: "urn:bucket", type: "aws:s3/bucket:Bucket" } },
  ],
])("leaves the state alone while %s is pending too", async (_, other) => {
  for (const pending_operations of [[settled, other], [other]]) {
    pulumi.setState({ deployment: { resources: [webhook("orders", "1")], pending_operations } });
    const stored = pulumi.read("stack.json");
    expect(await resolve([])).toMatchObject({ code: 0, out: "Nothing is unresolved in stack dev.\n" });
    expect(pulumi.read("stack.json")).toBe(stored);
  }
  expect(pulumi.list("pulumi-webhooks-")).toEqual([]);
});

it("repeats the other answers if a create cannot be recorded", async () => {
  const pending_operations = [
    { type: "creating", resource: { ...webhook("lost", ""), provider: "urn:gone::1" } },
  ];
  pulumi.setState({ deployment: { resources: [inDoubt], pending_operations } });
  const { code, err } = await resolve(["--none", "it's", "--found", "lost=7"]);
  expect(err).toContain("its Provider has left the state.");
  expect(err).toMatch(/\nYour other answers: npx pulumi-webhooks resolve --stack dev --none 'urn:\S+s'\n$/);
  expect(code).toBe(1);
});

it("keeps the copy if pulumi stack import is killed and has changed the state", async () => {
  pulumi.setState({ deployment: { resources: [inDoubt] } });
  const stored = pulumi.read("stack.json");
  const { code, err } = await resolve(["--found", "it's=1"], "write, kill");
  const [copy = ""] = pulumi.list("pulumi-webhooks-dev-");
  expect(pulumi.read(copy)).toBe(stored);
  expect(err).toBe(`error: pulumi stack import was ended by SIGKILL.
It is unknown whether it changed the state. The state before it is in ${copy}. To restore that, run pulumi stack import --stack dev --file ${copy}.
Then run: npx pulumi-webhooks resolve --stack dev --found 'urn:pulumi:dev::test::${WEBHOOK_TYPE}::it'\\''s=1'
`);
  expect(code).toBe(1);
});

it("keeps the copy if pulumi stack import has changed the state and could not unlock it", async () => {
  pulumi.setState({ deployment: { resources: [inDoubt] } });
  const stored = pulumi.read("stack.json");
  const { code, err } = await resolve(["--none", "it's"], "write, fail to unlock");
  const [copy = ""] = pulumi.list("pulumi-webhooks-dev-");
  expect(pulumi.read(copy)).toBe(stored);
  expect(err).toContain("It is unknown whether it changed the state.");
  expect(code).toBe(1);
});

it("removes the copy if pulumi stack import fails and has not changed the state", async () => {
  pulumi.setState({ deployment: { resources: [inDoubt] } });
  const { code, err } = await resolve(["--none", "it's"], "fail");
  expect(err).toContain("error: The state was not changed. pulumi stack import failed: the disk is full\n");
  expect(code).toBe(1);
  expect(pulumi.list("pulumi-webhooks-dev-")).toEqual([]);
});

it("says what was answered and how to take it back, and overwrites no copy of the same second", async () => {
  const pending_operations = [
    {
      type: "creating",
      resource: { ...webhook("killed", ""), created: "2026-01-01T10:00:00Z", provider: "urn:p::1" },
    },
  ];
  const provider = {
    urn: "urn:p",
    id: "1",
    type: "pulumi:providers:pulumi-nodejs",
    inputs: { "webhooks:baseUrl": "https://api.example.com" },
  };
  pulumi.setState({ deployment: { resources: [provider, inDoubt], pending_operations } });
  const first = await resolve(["--none", "killed"]);
  expect(first.out).toContain("killed: does not exist, as you answered.");
  const [, copy = ""] = /run pulumi stack import --stack dev --file (\S+)\. /.exec(first.out) ?? [];
  expect(copy).toMatch(/^pulumi-webhooks-.*\.json$/);
  const ignored = readFileSync(join(import.meta.dirname, "../../template/.gitignore"), "utf8");
  expect(ignored.split("\n")).toContain("pulumi-webhooks-*.json");
  // pulumi stack import would drop a pending create, so the copy has it in doubt.
  const { deployment } = JSON.parse(pulumi.read(copy));
  expect(deployment.pending_operations).toEqual([]);
  expect(deployment.resources).toContainEqual(
    expect.objectContaining({
      urn: expect.stringMatching(/killed$/),
      id: expect.stringMatching(/^in-doubt:/),
    }),
  );

  const taken = Array.from({ length: 30 }, (_, second) => {
    const time = new Date(Date.now() + 1000 * second).toISOString().replace(/[-:]|\.\d+/g, "");
    return `pulumi-webhooks-dev-${time}.json`;
  });
  for (const name of taken) writeFileSync(join(command.folder, name), "taken");
  const { code, out } = await resolve(["--none", "it's"]);
  expect(out).toMatch(/--file pulumi-webhooks-dev-\d+T\d+Z-2\.json\./);
  expect(code).toBe(0);
  expect(pulumi.read(taken[0] ?? "")).toBe("taken");
});

it("removes no entry of a create without showing it: an up that could not read the state may have repeated it", async () => {
  const resources = [webhook("orders", "2"), webhook("same", "3")];
  Object.assign(resources[1]?.outputs ?? {}, { name: "orders" });
  const earlier = {
    ...settled,
    resource: { ...pending, inputs: pending.outputs, created: "2026-01-01T10:00:00Z" },
  };
  for (const options of [[], ["--none", "it's"]]) {
    pulumi.setState({
      deployment: {
        resources: [...resources, ...(options.length > 0 ? [inDoubt] : [])],
        pending_operations: [earlier],
      },
    });
    const { code, out } = await resolve(options);
    expect(out).toContain(`orders: a run was killed during an earlier create of it.
  Its entry was removed. The state has webhook 2 for it. If the dashboard shows a second one named orders, delete it there.
  https://example.com/orders
  Not 3 (same): the stack has it already.
`);
    expect(code).toBe(0);
  }
});

it("says which file to remove if a kill has hit the file backend while it wrote", async () => {
  const { broken, whole } = pulumi.breakBackend();
  const { code, err } = await resolve([]);
  expect(
    err,
  ).toBe(`error: The state of stack dev could not be read. pulumi stack export failed: failed to load checkpoint: EOF
A run was killed while Pulumi wrote the state, and left an empty file. Remove it, then run this command again: rm '${broken}'
`);
  expect(err).not.toContain(whole);
  expect(code).toBe(1);
});

it("accepts the id of another account's webhook at the same base URL if the Providers' keys differ", async () => {
  const secretKey = (key: string) => ({
    "4dabf18193072939515e22adb298388d": "1b47",
    plaintext: JSON.stringify(key),
  });
  const provider = (name: string, key: string) => ({
    urn: `urn:${name}`,
    id: "p",
    type: "pulumi:providers:pulumi-nodejs",
    inputs: { "webhooks:explicitProvider": name, "webhooks:apiKey": secretKey(key) },
  });
  const deploymentWith = (key: string) => ({
    resources: [
      provider("a", "key-canary-a"),
      provider("b", key),
      { ...webhook("xa", "101"), provider: "urn:a::p" },
      { ...inDoubt, provider: "urn:b::p" },
    ],
  });
  pulumi.setState({ deployment: deploymentWith("key-canary-a") });
  const same = await resolve(["--found", "it's=101"]);
  expect(same.err).toBe(
    `error: The state was not changed. Webhook 101 belongs to ${webhook("xa", "").urn} already.\n`,
  );
  expect(same.code).toBe(1);

  pulumi.setState({ deployment: deploymentWith("key-canary-b") });
  const { code, out, err } = await resolve(["--found", "it's=101"]);
  expect(out + err).not.toContain("canary");
  expect(code).toBe(0);
});
