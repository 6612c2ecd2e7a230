import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { webhook } from "../support/programs.js";
import { FACES, Stack } from "../support/stack.js";

const PROBE = { "webhooks:drift": "probe" };

/** What becomes of webhooks in the dashboard, where `gone` is deleted. */
const EDITS = {
  renamed: { name: "Something else" },
  disabled: { enabled: false },
  enabled: { enabled: true },
  moved: { url: "https://elsewhere.example.com" },
};
const CHANGED = '- changedOutsidePulumi: "<time>"';
/** What a preview shows of that. Nothing but the time shows another URL. */
const SHOWN = {
  "gone (create)": [],
  "renamed (update)": [CHANGED, '~ name: "Something else" => "renamed"'],
  "disabled (update)": [CHANGED, "~ enabled: false => true"],
  "enabled (update)": [CHANGED, "~ enabled: true => false"],
  "moved (update)": [CHANGED],
};

// The lifecycle is tested with APIs of every kind: test/lifecycle/drift.
it.each(FACES)("shows changes of the dashboard, and corrects them with the next up (%s)", async (face) => {
  const names = ["gone", ...Object.keys(EDITS)];
  const program = names.map((name) => webhook(name, `, enabled: ${name !== "enabled"}`)).join("");
  await using stack = await Stack.create({ face, program, config: PROBE });
  const { behavior, dashboard } = stack.api;
  behavior.emptyUpdate = "leaves updated_at";
  await stack.up();
  await stack.expectNoChanges("--refresh");
  const declared = stack.api.webhooks.map(({ name, url, enabled }) => ({ name, url, enabled }));

  // A time shows a change if it is surely later than the one before, and earlier than the probe.
  behavior.clockSkewSeconds += 60;
  const updated = Object.entries(EDITS).map(([name, edit]) => {
    const id = stack.idOf(name);
    dashboard.edit(id, edit);
    return `update ${id}`;
  });
  dashboard.delete(stack.idOf("gone"));
  stack.passMinutes();
  const preview = await stack.run("preview", "--refresh", "--diff", "--expect-no-changes");
  expect(preview.code).toBe(7);
  expect(changesIn(preview.output)).toEqual(SHOWN);
  for (const _ of ["one", "two"]) await stack.ok("refresh", "--yes", "--skip-preview");
  expect(changesIn(await stack.ok("preview", "--refresh", "--diff"))).toEqual(SHOWN);

  stack.takeCalls();
  await stack.up("--refresh");
  // A probe of each webhook, and all fields of each one.
  expect(stack.takeCalls().sort()).toEqual(["create gone", ...updated, ...updated].sort());
  expect(stack.api.webhooks).toHaveLength(declared.length);
  for (const fields of declared) expect(stack.api.webhooks).toContainEqual(expect.objectContaining(fields));
  behavior.clockSkewSeconds += 60;
  await stack.expectNoChanges("--refresh");
  expect(await stack.state()).not.toMatch(/changedOutsidePulumi|canary/);
});

/** Reads the changes of each webhook from a preview, without the padding, and with `<time>` for a time. */
function changesIn(output: string): Record<string, string[]> {
  const [, ...parts] = output.split(/^ *[~+-] (?=\S*webhooks:(?:index:)?Webhook: )/m);
  const sections = parts.map((text) => {
    const [, operation, name] = /\((\w+)\).*?Webhook::(\S+)\]/s.exec(text) ?? [];
    const lines = (text.match(/^ {6}[~+-] .*$/gm) ?? []).map((line) =>
      line
        .trim()
        .replace(/ *: /, ": ")
        .replace(/"20\d\d-[^"]*Z"/, '"<time>"'),
    );
    return [`${name} (${operation})`, lines] as const;
  });
  return Object.fromEntries(sections.filter(([title]) => !title.endsWith("(refresh)")));
}

it("shows drift in a plain preview if Pulumi.yaml asks for a refresh", async () => {
  await using stack = await Stack.create({ program: webhook("orders"), config: PROBE });
  await appendFile(join(stack.folder, "Pulumi.yaml"), "options: { refresh: always }\n");
  await stack.up();
  await stack.expectNoChanges();
  stack.api.dashboard.edit("1", { name: "Do not touch" });
  expect(await stack.ok("preview", "--diff")).toContain('"Do not touch" => "orders"');
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([{ name: "orders" }]);
  await stack.expectNoChanges();

  // Nothing proves that the only webhook is gone, and nothing fails: the printed command creates it again.
  stack.passMinutes();
  stack.api.dashboard.delete("1");
  expect(await stack.up()).toContain("pulumi up --refresh=false --replace '");
  await stack.up("--refresh=false", "--replace", stack.urn("orders"));
  expect(stack.api.webhooks).toMatchObject([{ id: "2" }]);
});
