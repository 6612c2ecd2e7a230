import { expect, it } from "vitest";
import { NO_WEBHOOK } from "../../src/stack/in-doubt.js";
import type { Past } from "../../src/stack/past.js";
import { RecordedStack } from "../../src/stack/recorded-stack.js";
import { exported, IN_DOUBT, pending, providerOf, urnOf, webhook } from "./exported.js";

const imported = { baseUrl: "https://api.example.com", unconfirmed: true };
const entered = { ...webhook("").outputs, inDoubtId: IN_DOUBT };
const known: Past = { kind: "known", id: "1" };

const sendAgain: Past = { ...known, sendAgain: true };
/** A state of the webhook orders. */
const orders = (fields: Parameters<typeof webhook>[1] = {}, ...operations: ReturnType<typeof pending>[]) =>
  exported([webhook("orders", fields)], operations);

it.each<[string, ReturnType<typeof exported>, Past]>([
  ["a new resource", exported(), { kind: "new" }],
  [
    "one of which a person said that it does not exist",
    orders({ id: NO_WEBHOOK, pendingReplacement: true }),
    { kind: "new" },
  ],
  ["one that was only read", orders({ external: true }), { kind: "new" }],
  ["one whose webhook waits for its deletion", orders({ delete: true }), { kind: "new" }],
  ["a webhook", orders(), known],
  [
    "one beside the older one that it replaced",
    exported([webhook("orders", { id: "0", delete: true }), webhook("orders")]),
    known,
  ],
  [
    "one that was deleted for a replacement",
    orders({ pendingReplacement: true }),
    { ...known, isDeleted: true },
  ],
  ["one of a Provider", orders({ provider: providerOf("default_eu") }), { ...known, provider: "default_eu" }],
  [
    "one of a Provider that names itself",
    exported([
      { urn: "urn:p", type: "", id: "1", inputs: { "webhooks:explicitProvider": "us" } },
      webhook("orders", { provider: "urn:p::1" }),
    ]),
    { ...known, provider: "us" },
  ],
  [
    "one in doubt",
    orders({ id: IN_DOUBT }),
    { kind: "unresolved", name: "Orders", sentAt: "2026-01-01T12:00:00Z" },
  ],
  ["an import", orders({ outputs: imported }), { kind: "unconfirmed", id: "1", by: "import" }],
  ["a cut-off update", orders({}, pending("updating", "orders", { id: "1" })), sendAgain],
  ["a cut-off update without an id", orders({}, pending("updating", "orders")), sendAgain],
  ["a cut-off delete", orders({}, pending("deleting", "orders", { id: "1" })), sendAgain],
  ["a cut-off delete of what it replaced", orders({}, pending("deleting", "orders", { id: "0" })), known],
  [
    "a cut-off update that renamed it",
    orders({}, pending("updating", "renamed", { id: "1", aliases: [urnOf("orders")] })),
    sendAgain,
  ],
  // An alias that only the engine knows may rename it to this one.
  [
    "a new resource beside a cut-off update",
    exported([webhook("other")], [pending("updating", "other")]),
    { kind: "new", sendAgain: true },
  ],
  [
    "a webhook beside the cut-off update of another one",
    exported([webhook("orders"), webhook("other")], [pending("updating", "other")]),
    known,
  ],
])("returns the past of %s", (_, state, past) => {
  expect(new RecordedStack(state).pastOf(urnOf("orders"))).toEqual(past);
});

it("finds the resource of the same Provider that has a webhook, also one that waits for its deletion", () => {
  const eu = providerOf("eu");
  const stack = new RecordedStack(
    exported([
      webhook("orders"),
      webhook("eu", { id: "2", provider: eu }),
      webhook("replaced", { id: "3", delete: true }),
      webhook("read", { id: "4", external: true }),
    ]),
  );
  const holderOf = (id: string, name: string, provider?: string) =>
    stack.holderOf(id, { urn: urnOf(name), provider });
  expect(holderOf("1", "other")).toBe(urnOf("orders"));
  expect(holderOf("1", "orders")).toBeUndefined();
  expect(holderOf("1", "other", "eu")).toBeUndefined();
  expect(holderOf("2", "other")).toBeUndefined();
  expect(holderOf("2", "other", "eu")).toBe(urnOf("eu"));
  expect(holderOf("3", "other")).toBe(urnOf("replaced"));
  expect(holderOf("4", "other")).toBeUndefined();
});

it("lets a program read a webhook by its id unless the stack manages one under that name, in doubt or not", () => {
  const read = webhook("read", { external: true });
  const stack = new RecordedStack(exported([webhook("orders"), webhook("doubt", { id: IN_DOUBT }), read]));
  for (const name of ["read", "new"]) expect(stack.getProblem(urnOf(name))).toBeUndefined();
  for (const name of ["orders", "doubt"])
    expect(stack.getProblem(urnOf(name))).toMatch(/^the stack manages a webhook .* with another name\.$/);
});

it("counts the unconfirmed ids of each Provider", () => {
  const stack = new RecordedStack(
    exported([
      webhook("orders", { outputs: entered }),
      webhook("refunds", { outputs: imported }),
      webhook("known"),
      webhook("replaced", { outputs: entered, delete: true }),
      webhook("eu", { outputs: entered, provider: providerOf("eu") }),
    ]),
  );
  expect([undefined, "eu", "us"].map((provider) => stack.countUnconfirmed(provider))).toEqual([2, 1, 0]);
});

it("finds nothing unresolved if another process of the run has found the gate open", () => {
  const state = exported([], [pending("creating", "orders")]);
  expect(new RecordedStack(state).unresolved).toHaveLength(1);
  expect(new RecordedStack(state, { isGateOpen: true }).unresolved).toEqual([]);
});

it.each([
  ["dev", "test", true],
  ["prod", "test", false],
  ["dev", "other", false],
])("distinguishes its own state from that of another stack or project: %s, %s", (stack, project, isOwn) => {
  expect(new RecordedStack(orders()).isOf({ stack, project })).toBe(isOwn);
  expect(new RecordedStack({}).isOf({ stack, project })).toBe(true);
});
