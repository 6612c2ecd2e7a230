import { expect, it } from "vitest";
import type { Fault } from "../../simulator/src/index.js";
import { report } from "../figures.js";
import { Stack } from "../support/stack.js";

const COUNT = 500;
const FAULT_SHARE = 0.2;

const program = `
  for (let n = 0; n < ${COUNT}; n++) {
    new webhooks.Webhook(\`hook-\${n}\`, { url: \`https://example.com/\${n}\` });
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
  faults.forEach((fault, n) => {
    const probability = FAULT_SHARE / (faults.length - n * FAULT_SHARE);
    stack.api.inject({ times: Number.POSITIVE_INFINITY, probability, seed: n + 1, fault });
  });

  let [code, rounds, inDoubt] = [-1, 0, 0];
  for (; code !== 0; rounds++) {
    expect(rounds).toBeLessThan(20);
    ({ code } = await stack.run("up", "--yes", "--skip-preview", "--continue-on-error", "--parallel", "16"));
    const open = (await stack.recorded()).filter(({ id }) => id.startsWith("in-doubt:"));
    inDoubt += open.length;
    if (open.length > 0) expect(await stack.answerNone()).toMatchObject({ code: 0 });
  }
  const failed = stack.api.calls.filter(({ fault }) => fault !== undefined).length;

  const names = stack.api.webhooks.map(({ name }) => name);
  const duplicated = names.length - new Set(names).size;
  const ids = new Set((await stack.recorded()).map(({ id }) => id));
  const lost = COUNT - stack.api.webhooks.filter(({ id }) => ids.has(id)).length;
  report(
    context,
    `${COUNT} webhooks: ${stack.api.calls.length} requests, of which ${failed} failed; ${inDoubt} creates in doubt; complete after ${rounds} runs; ${duplicated} duplicated, ${lost} lost`,
  );
  expect({ duplicated, lost, webhooks: names.length }).toEqual({ duplicated: 0, lost: 0, webhooks: COUNT });
  stack.api.clearFaults();
  await stack.expectNoChanges();
  await stack.destroy("--parallel", "16");
  expect(stack.api.webhooks).toEqual([]);
});
