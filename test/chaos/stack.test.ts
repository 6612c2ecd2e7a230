import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import { Stack } from "../engine/stack.js";
import { report } from "../figures.js";

const COUNT = 500;
const FAULT_SHARE = 0.2;

/** Imports the webhooks that were found in the dashboard. */
const program = `
  const found = JSON.parse(require("fs").readFileSync("found.json", "utf8"));
  for (let n = 0; n < ${COUNT}; n++) {
    const name = \`hook-\${n}\`;
    new webhooks.Webhook(name, { url: \`https://example.com/\${n}\`, name, enabled: true }, { import: found[name] });
  }`;

const faults: Fault[] = [
  { kind: "status", status: 429, retryAfter: "1" },
  { kind: "status", status: 503, retryAfter: "1" },
  { kind: "status", status: 422 },
  { kind: "status", status: 500, commit: false },
  { kind: "status", status: 502, commit: true },
  { kind: "reset", when: "before reading" },
  { kind: "reset", when: "before commit" },
  { kind: "reset", when: "after commit" },
  { kind: "reset", when: "in reply" },
  { kind: "reply", body: "html" },
  { kind: "reply", body: "malformed" },
];

it(`completes a stack of ${COUNT} webhooks while a fifth of all requests fail, without duplicates or losses`, async (context) => {
  await using stack = await Stack.create({ program });
  const found: Record<string, string> = {};
  await writeFile(join(stack.folder, "found.json"), "{}");
  faults.forEach((fault, n) => {
    const probability = FAULT_SHARE / (faults.length - n * FAULT_SHARE);
    stack.api.inject({ times: Number.POSITIVE_INFINITY, probability, seed: n + 1, fault });
  });

  const replace: string[] = [];
  let rounds = 0;
  const inDoubt = new Set<string>();
  for (let code = -1; code !== 0; rounds++) {
    expect(rounds).toBeLessThan(10);
    const replacing = replace.splice(0).flatMap((urn) => ["--replace", urn]);
    ({ code } = await stack.run(
      "up",
      "--yes",
      "--skip-preview",
      "--continue-on-error",
      "--parallel",
      "16",
      ...replacing,
    ));
    // Like a person, looks for each webhook in doubt, and imports or replaces it.
    for (const { urn, id, inputs } of await stack.recorded()) {
      if (!id.startsWith("in-doubt:")) continue;
      inDoubt.add(id);
      const name = String(inputs.name);
      const webhook = stack.api.webhooks.find((webhook) => webhook.name === name);
      if (webhook === undefined) replace.push(urn);
      else found[name] = webhook.id;
    }
    await writeFile(join(stack.folder, "found.json"), JSON.stringify(found));
  }
  const failed = stack.api.calls.filter(({ fault }) => fault !== undefined).length;

  const names = stack.api.webhooks.map(({ name }) => name);
  const duplicated = names.length - new Set(names).size;
  const ids = new Set((await stack.recorded()).map(({ id }) => id));
  const lost = COUNT - stack.api.webhooks.filter(({ id }) => ids.has(id)).length;
  report(
    context,
    `${COUNT} webhooks: ${stack.api.calls.length} requests, of which ${failed} failed; ${inDoubt.size} creates in doubt; complete after ${rounds} runs; ${duplicated} duplicated, ${lost} lost`,
  );
  expect({ duplicated, lost, webhooks: names.length }).toEqual({ duplicated: 0, lost: 0, webhooks: COUNT });
  stack.api.clearFaults();
  await stack.expectNoChanges();
  await stack.destroy("--parallel", "16");
  expect(stack.api.webhooks).toEqual([]);
});
