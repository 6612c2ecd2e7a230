import { expect, it } from "vitest";
import type { Call } from "../../src/simulator/index.js";
import { kill, startWithoutReply } from "./kill.js";
import { FACES, Stack } from "./stack.js";

it.each(FACES)(
  "keeps the only webhook when the create that replaces it returns the same id (%s)",
  async (face) => {
    const program = `new webhooks.Webhook("orders", { url: "https://example.com/a", secret: config.requireSecret("hookSecret") });`;
    await using stack = await Stack.create({ face, program });
    await stack.up();
    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    // An API that updates the webhook of the same url instead of creating one.
    const raw = '{"data":{"webhook":{"id":1,"name":"orders"}}}';
    stack.api.inject({ operation: "create", fault: { kind: "reply", raw } });
    const output = await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders", "create orders"]);
    expect(output).toContain("Webhook 1 (orders) was not deleted: the API returned its id for a new webhook");
    expect(await stack.recorded()).toMatchObject([{ id: "1" }]);
    await stack.expectNoChanges();
  },
);

it.each(FACES)(
  "keeps the webhook that got the id of another one, whose delete was interrupted, at an API that uses ids again (%s)",
  async (face) => {
    const webhook = (name: string, url = `https://example.com/${name}`) =>
      `new webhooks.Webhook("${name}", { url: "${url}" });\n`;
    const kept = webhook("kept");
    await using stack = await Stack.create({
      face,
      program: kept + webhook("removed"),
      simulator: { behaviour: { deletedIds: "used again" } },
    });
    await stack.up();
    const removed = stack.api.webhooks.find(({ name }) => name === "removed");
    await stack.declare(kept);
    await kill(stack, await startWithoutReply(stack, "delete"));
    expect(stack.api.webhooks).toHaveLength(1);

    // The new webhook gets the id. Another one fails, so that the delete is left to the next up.
    await stack.declare(kept + webhook("new") + webhook("failing"));
    const match = ({ body }: Call) => Object(body).name === "failing";
    stack.api.inject({ operation: "create", match, fault: { kind: "status", status: 422 } });
    await stack.upFails("--continue-on-error");
    const byName = () => Object.fromEntries(stack.api.webhooks.map(({ name, id }) => [name, id]));
    expect(byName()).toEqual({ kept: expect.any(String), new: removed?.id });
    await stack.up();
    expect(Object.keys(byName()).sort()).toEqual(["failing", "kept", "new"]);
    await stack.expectNoChanges();

    // What is deleted and created in one run may change places.
    await stack.declare(webhook("new") + webhook("newer"));
    await stack.up();
    await stack.declare(webhook("newest") + webhook("newer"));
    await stack.up();
    const recorded = (await stack.recorded()).map(({ id, inputs }) => `${inputs.name} ${id}`).sort();
    expect(stack.api.webhooks.map(({ id, name }) => `${name} ${id}`).sort()).toEqual(recorded);
    await stack.expectNoChanges();
  },
);
