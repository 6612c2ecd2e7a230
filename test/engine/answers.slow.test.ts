import { expect, it } from "vitest";
import { killProvider, upWithCreateInFlight } from "./support/kill.js";
import { webhook } from "./support/programs.js";
import { FACES, Stack } from "./support/stack.js";

// Right and wrong answers to resolve, at the API.

const program = webhook("orders") + webhook("refunds");

it.each(FACES)(
  "compares the ids of creates whose provider has died with probes, and leaves nothing to do after the right ones (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, program, config: { "webhooks:drift": "probe" } });
    const { api } = stack;
    // Of another stack, half an hour ago.
    api.behavior.clockSkewSeconds = -30 * 60;
    for (const name of ["orders", "Others"]) api.dashboard.create({ url: "https://example.com", name });
    api.behavior.clockSkewSeconds = 0;
    const others = api.webhooks;
    // The state does not show these creates, only the notes of this machine.
    const fault = { kind: "hang", commit: true } as const;
    await killProvider(await upWithCreateInFlight(stack, { fault, creates: 2 }));
    expect(await stack.recorded()).toEqual([]);
    const made = api.webhooks.slice(2);
    const [orders, refunds] = ["orders", "refunds"].map((name) => stack.idOf(name));
    stack.takeCalls();

    for (const [answers, because] of [
      [["orders=1"], "Webhook 1 is not that of orders: it was created at"],
      [["orders=2", `refunds=${refunds}`], "Webhook 2 is not that of orders: it has another name"],
      [[`orders=${refunds}`, `refunds=${orders}`], "it has another name than the one that was sent"],
    ] as const) {
      const { code, output } = await stack.resolve(...answers.map((answer) => `--found=${answer}`));
      expect(output).toContain("The state was not changed.");
      expect(output).toContain(because);
      expect(code).toBe(1);
    }
    expect(api.calls.map(({ body }) => Object.keys(Object(body)))).toEqual(
      api.calls.map(() => ["webhook_id"]),
    );
    expect(api.webhooks.slice(0, 2)).toEqual(others);
    expect(await stack.recorded()).toEqual([]);

    const { code, output } = await stack.resolve(`--found=orders=${orders}`, `--found=refunds=${refunds}`);
    expect(code, output).toBe(0);
    stack.takeCalls();
    await stack.expectNoChanges();
    await stack.up();
    expect(stack.takeCalls()).toEqual([]);
    expect((await stack.recorded()).map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());

    // Only 16 bits of a hash were noted of the secret: enough to notice that it changes.
    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual([
      "create orders",
      "create refunds",
      ...made.map(({ id }) => `delete ${id}`).sort(),
    ]);
  },
);

it("corrects swapped ids by a replacement of both, and a webhook that was not found by an import", async () => {
  const declare = (name: string, fields = "", options = "{}") =>
    webhook(name, fields, options).replace(
      'config.requireSecret("hookSecret")',
      `pulumi.secret("of ${name}")`,
    );
  const two = declare("orders") + declare("refunds");
  await using stack = await Stack.create({ program: two + declare("late") });
  const { api } = stack;
  api.inject({ operation: "create", times: 3, fault: { kind: "reset", when: "after commit" } });
  await stack.upFails("--continue-on-error");
  stack.takeCalls();
  const [orders, refunds, late] = ["orders", "refunds", "late"].map((name) => stack.idOf(name));
  const swapped = [`--found=orders=${refunds}`, `--found=refunds=${orders}`, "--none=late"];
  const { code, output } = await stack.resolve(...swapped);
  expect(code, output).toBe(0);
  expect(stack.takeCalls().sort()).toEqual([`update ${orders}`, `update ${refunds}`].sort());

  const importing = declare("late", ', name: "late", enabled: true', `{ import: "${late}" }`);
  await stack.declare(two + importing);
  await stack.up(...["orders", "refunds"].flatMap((name) => ["--replace", stack.urn(name)]));
  expect(stack.takeCalls().sort()).toEqual(
    ["create orders", "create refunds", `delete ${orders}`, `delete ${refunds}`, `update ${late}`].sort(),
  );
  expect(api.webhooks.map(({ name, secret }) => `${name}: ${secret}`).sort()).toEqual(
    ["late", "orders", "refunds"].map((name) => `${name}: of ${name}`),
  );
  await stack.expectNoChanges();
});
