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
    unverified: [],
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
