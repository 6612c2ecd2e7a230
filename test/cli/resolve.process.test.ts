import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import type { ExportedResource } from "../../src/stack/stack-export.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { FakePulumi } from "./fake-pulumi.js";

const baseUrl = "https://api.example.com";
const webhook = (name: string, id: string): ExportedResource => ({
  urn: `urn:pulumi:dev::test::${WEBHOOK_TYPE}::${name}`,
  type: WEBHOOK_TYPE,
  id,
  created: "2026-01-01T11:00:00Z",
  outputs: { url: "https://example.com/orders", name, enabled: true, baseUrl },
});
const orders = webhook("orders", "1");
const inDoubt = webhook("it's", "in-doubt:2026-01-01T12:00:00.000Z-abcd");
const type = "pulumi:providers:pulumi-nodejs";
const settings = { urn: "urn:p", id: "1", type, inputs: { "webhooks:baseUrl": baseUrl } };
/** A create during which a run was killed. */
const killed = {
  type: "creating",
  resource: { ...webhook("killed", ""), created: "2026-01-01T10:00:00Z", provider: "urn:p::1" },
};

/** A stack, and what resolve makes of it. */
class Stack extends FakePulumi {
  constructor(resources: object[], pending_operations: object[] = []) {
    super();
    this.set(resources, pending_operations);
  }

  set(resources: object[], pending_operations: object[]): void {
    this.write("stack.json", { deployment: { resources, pending_operations } });
  }

  get deployment() {
    return JSON.parse(this.read("stack.json")).deployment;
  }

  resolve(options: string[], how?: Parameters<FakePulumi["start"]>[1]) {
    return this.start(["resolve", "--stack", "dev", ...options], how).ended;
  }

  /** The copies of the states that were replaced, by their paths. */
  get copies(): Map<string, ReturnType<typeof JSON.parse>> {
    const folder = join(this.folder, "home/webhooks/backups");
    const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    return new Map(files.map((file) => [file, JSON.parse(readFileSync(file, "utf8")).deployment]));
  }
}

describe.concurrent("pulumi-webhooks resolve", { timeout: 60_000 }, () => {
  it("asks nothing with --json, and writes only with --record or answers", async ({ expect }) => {
    using stack = new Stack([inDoubt, settings], [killed]);
    const stored = stack.read("stack.json");
    const { code, out } = await stack.resolve(["--json"]);
    const unresolved = [
      { resource: "it's", reason: "no reply" },
      { resource: "killed", reason: "killed" },
    ];
    expect(JSON.parse(out)).toMatchObject({ stack: "dev", resolved: [], unresolved, unconfirmed: [] });
    expect(code).toBe(1);
    expect(stack.read("stack.json")).toBe(stored);

    const recorded = await stack.resolve(["--record"]);
    expect(recorded).toMatchObject({ code: 1, out: expect.stringContaining("killed: unresolved.") });
    expect(stack.deployment.pending_operations).toEqual([]);
    expect(stack.deployment.resources).toHaveLength(3);

    const answered = await stack.resolve(["--found", "it's=42", "--none", "killed", "--json"]);
    expect(answered.code).toBe(0);
    expect(JSON.parse(answered.out)).toMatchObject({
      resolved: [{ found: "42" }, { none: true }],
      unresolved: [],
    });
    expect(stack.deployment.resources).toEqual([expect.objectContaining({ id: "42" }), settings]);
  });

  it("removes the pending operations of webhooks by itself, and says what the next up sends again", async ({
    expect,
  }) => {
    const refunds = webhook("refunds", "2");
    const { id, created, ...resource } = orders;
    const creating = { type: "creating", resource };
    using stack = new Stack([orders, refunds], [creating, { type: "updating", resource: refunds }]);
    const { code, out } = await stack.resolve([]);
    expect(out).toContain("refunds: a run was killed while it was changing it.");
    expect(out).toContain("Nothing is unresolved in stack dev.");
    expect(code).toBe(0);
    const marked = { ...refunds, outputs: { ...refunds.outputs, unconfirmed: true } };
    expect(stack.deployment).toEqual({ resources: [orders, marked], pending_operations: [] });
  });

  it("drops the pending operations of other resources only with --drop-others", async ({ expect }) => {
    const other = { type: "creating", resource: { urn: "urn:bucket", type: "aws:s3/bucket:Bucket" } };
    using stack = new Stack([inDoubt], [other]);
    const stored = stack.read("stack.json");
    const refused = await stack.resolve(["--found", "it's=42"]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("during operations on other resources:\n  urn:bucket\n");
    expect(refused.err).toMatch(/Then run: npx .* resolve --stack dev --found \S+=42' --drop-others\n$/);
    expect(stack.read("stack.json")).toBe(stored);
    expect(await stack.resolve(["--found", "it's=42", "--drop-others"])).toMatchObject({ code: 0 });
  });

  it("asks for the Provider and the base URL that the state lacks, and for no answer again", async ({
    expect,
  }) => {
    const urn = `urn:pulumi:dev::test::${type}::eu`;
    const pending = [{ ...killed, resource: { ...killed.resource, provider: `${urn}::1` } }];
    using stack = new Stack([settings], pending);
    const missing = await stack.resolve(["--found", "killed=7"]);
    expect(missing.err).toContain("Declare the webhook and its Provider again, and run pulumi up");
    expect(missing.code).toBe(1);

    // It has another id since, and its URL is from the environment.
    const provider = { ...settings, urn, id: "2", inputs: { "webhooks:explicitProvider": "eu" } };
    stack.set([settings, provider], pending);
    const { code, err } = await stack.resolve(["--found", "killed=7"]);
    expect(err).toContain("The state does not show at which base URL");
    expect(err).toContain("Add --base-url <URL>. If you have deleted the webhook there, add --none killed");
    expect(code).toBe(1);
    expect((await stack.resolve(["--found", "killed=7", "--base-url", baseUrl])).code).toBe(0);
    const found = { id: "7", provider: `${urn}::2`, outputs: { baseUrl } };
    expect(stack.deployment.resources).toMatchObject([settings, provider, found]);
  });

  it("refuses the id of another resource's webhook", async ({ expect }) => {
    using stack = new Stack([orders, inDoubt]);
    const { code, err } = await stack.resolve(["--found", "it's=1"]);
    expect(err).toBe(`error: The state was not changed. Webhook 1 belongs to ${orders.urn} already.\n`);
    expect(code).toBe(1);
    stack.set([{ ...orders, external: true }, inDoubt], []);
    expect((await stack.resolve(["--found", "it's=1"])).code, "read by Webhook.get only").toBe(0);
  });

  it.for([
    ["is killed", "write, kill", "pulumi stack import was ended by SIGKILL."],
    ["fails", "write, fail to unlock", "pulumi stack import failed: there was a problem deleting the lock"],
  ] as const)(
    "keeps the copy if pulumi stack import %s and has changed the state",
    async (how, { expect }) => {
      using stack = new Stack([inDoubt]);
      const { code, err } = await stack.resolve(["--found", "it's=1"], how[1]);
      const [[copy, { resources }] = expect.fail("There is no copy.")] = [...stack.copies];
      expect(resources).toEqual([inDoubt]);
      expect(err).toBe(`error: ${how[2]}
It is unknown whether it changed the state. The state before it is in ${copy}. To restore that, run pulumi stack import --stack dev --file ${copy}.
Then run: npx pulumi-webhooks resolve --stack dev
`);
      expect(code).toBe(1);
    },
  );

  it("removes the copy if pulumi stack import fails and has not changed the state", async ({ expect }) => {
    using stack = new Stack([inDoubt]);
    const { code, err } = await stack.resolve(["--none", "it's"], "fail");
    expect(err).toContain("error: The state was not changed. pulumi stack import failed: the disk is full\n");
    expect(code).toBe(1);
    expect(stack.copies).toEqual(new Map());
  });

  it("says how to undo the answers", async ({ expect }) => {
    using stack = new Stack([settings, inDoubt], [killed]);
    const { out } = await stack.resolve(["--none", "killed"]);
    expect(out).toContain(
      "killed: does not exist. The next pulumi up creates it, if the program declares it.",
    );
    const [, copy = ""] = /run pulumi stack import --stack dev --file (\S+)\. /.exec(out) ?? [];
    // pulumi stack import would drop a pending create, so the copy has it in doubt.
    const { resources, pending_operations } = stack.copies.get(copy);
    expect(pending_operations).toEqual([]);
    const recorded = { urn: killed.resource.urn, id: expect.stringMatching(/^in-doubt:/) };
    expect(resources).toContainEqual(expect.objectContaining(recorded));
  });

  it("says which file to remove if a kill has hit the file backend while it wrote", async ({ expect }) => {
    using stack = new Stack([]);
    writeFileSync(join(stack.folder, "broken"), "");
    const { code, err } = await stack.resolve([]);
    expect(err).toBe(
      `error: The state of stack dev could not be read. pulumi stack export failed: failed to load checkpoint: EOF
A run was killed while Pulumi wrote the state. Delete the empty file <stack>.json.attrs beside the state file, then run this command again.
`,
    );
    expect(code).toBe(1);
  });
});
