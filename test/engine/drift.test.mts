import { expect, it } from "vitest";
import { Stack } from "./stack.mjs";

const four = ["gone", "renamed", "disabled", "moved"]
  .map(
    (name) =>
      `new webhooks.Webhook("${name}", { url: "https://example.com/${name}", secret: config.requireSecret("hookSecret") });\n`,
  )
  .join("");

const probing = (behaviour = {}) =>
  ({
    config: { "webhooks:drift": "probe" },
    simulator: { behaviour: { emptyUpdate: "leaves updated_at", ...behaviour } },
  }) as const;

it("shows in a preview what someone changed in the dashboard, and the next up heals it", async () => {
  await using stack = await Stack.create({ program: four, ...probing() });
  await stack.up();
  await stack.expectNoChanges("--refresh");
  const idOf = (name: string) => stack.api.webhooks.find((webhook) => webhook.name === name)?.id ?? "";
  // What happened within the last second cannot be told from what the probe itself does.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const moved = idOf("moved");
  stack.api.dashboard.delete(idOf("gone"));
  stack.api.dashboard.edit(idOf("renamed"), { name: "Something else" });
  stack.api.dashboard.edit(idOf("disabled"), { enabled: false });
  stack.api.dashboard.edit(moved, { url: "https://elsewhere.example.com" });
  await new Promise((resolve) => setTimeout(resolve, 2500));

  const preview = await stack.run("preview", "--refresh", "--diff", "--expect-no-changes");
  expect(preview.code).toBe(7);
  expect(preview.output).toMatch(/\+ pulumi-nodejs:dynamic\/webhooks:Webhook: \(create\)\s+\[urn=\S+gone\]/);
  expect(preview.output).toMatch(/~ name\s*: "Something else" => "renamed"/);
  expect(preview.output).toMatch(/~ enabled\s*: false => true/);
  expect(preview.output).toMatch(/- changedOutsidePulumi: "20/);
  const { steps } = JSON.parse((await stack.ok("preview", "--refresh", "--json")).replace(/^[^{]*/, ""));
  const drifted = steps.filter(({ op }: { op: string }) => op === "update" || op === "create");
  expect(drifted).toHaveLength(4);

  // The mark outlives any number of refreshes, and is healed by the next up.
  await stack.ok("refresh", "--yes", "--skip-preview");
  await stack.ok("refresh", "--yes", "--skip-preview");
  expect((await stack.run("preview", "--expect-no-changes")).code).toBe(7);
  await stack.up();
  expect(stack.api.webhooks.find(({ id }) => id === moved)).toMatchObject({
    url: "https://example.com/moved",
  });
  expect(stack.api.webhooks.map(({ name, enabled }) => `${name} ${enabled}`).sort()).toEqual([
    "disabled true",
    "gone true",
    "moved true",
    "renamed true",
  ]);
  await stack.expectNoChanges("--refresh");
  expect(await stack.state()).not.toContain("canary");
});

it.each([
  ["sets updated_at with an empty update", { emptyUpdate: "sets updated_at" }],
  ["tells no times in the reply to a create", { timestampsInCreateReply: false }],
  [
    "writes times in seconds and has a clock of its own",
    { timestampPrecision: "seconds", clockSkewSeconds: 300 },
  ],
] as const)("is quiet at an API that %s", async (_what, behaviour) => {
  await using stack = await Stack.create({ program: four, ...probing(behaviour) });
  await stack.up();
  await stack.expectNoChanges("--refresh");
  await stack.ok("refresh", "--yes", "--skip-preview");
  await stack.expectNoChanges("--refresh");
});

it("uses a new setting at once with --run-program", async () => {
  await using stack = await Stack.create({
    program: four,
    simulator: { behaviour: { emptyUpdate: "leaves updated_at" } },
  });
  await stack.up();
  stack.takeCalls();
  expect(await stack.ok("preview", "--refresh")).toContain("Webhooks were not compared with the API");
  await stack.configure({ "webhooks:drift": "probe" });
  await stack.ok("preview", "--refresh");
  expect(stack.takeCalls()).toEqual([]);
  stack.api.dashboard.edit("1", { name: "Something else" });
  expect((await stack.run("preview", "--refresh", "--run-program", "--expect-no-changes")).code).toBe(7);
  expect(stack.takeCalls()).toHaveLength(4);
});

it("fails the refresh of a webhook whose probe fails, and still shows the others' drift", async () => {
  await using stack = await Stack.create({ program: four, ...probing() });
  await stack.up();
  stack.api.dashboard.edit("1", { name: "Something else" });
  stack.api.inject({
    match: ({ body }) => Object(body).webhook_id === "2",
    fault: { kind: "status", status: 403 },
  });
  const { code, output } = await stack.run("preview", "--refresh", "--diff");
  expect(code).not.toBe(0);
  expect(output).toContain("failed: 403 Forbidden from POST /webhooks/update. The API key may not do this");
  expect(output).toContain('=> "Something else"');
});

it("gets a webhook that Pulumi does not manage with the probe, and says why not without", async () => {
  const program = `
    const other = webhooks.Webhook.get("other", "1");
    export const told = pulumi.all([other.id, other.name, other.enabled]);`;
  await using stack = await Stack.create({ program });
  stack.api.dashboard.create({ url: "https://example.com", name: "Someone's", enabled: false });
  expect(await stack.fails("preview")).toContain("the API has no operation that reads a webhook");
  await stack.configure({ "webhooks:drift": "probe" });
  await stack.up();
  expect(await stack.outputs()).toEqual({ told: ["1", "Someone's", false] });
});
