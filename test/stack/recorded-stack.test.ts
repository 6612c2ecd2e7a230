import { expect, it } from "vitest";
import type { Past } from "../../src/stack/past.js";
import { RecordedStack } from "../../src/stack/recorded-stack.js";
import { EARLIER, exported, IN_DOUBT, LATER, pending, providerOf, urnOf, webhook } from "./exported.js";

const outputs = { baseUrl: "https://api.example.com" };
const entered = { ...webhook("").outputs, inDoubtId: IN_DOUBT };
const known: Past = { kind: "known", id: "1" };

it.each<[string, ReturnType<typeof exported>, Past]>([
  ["a new resource", exported(), { kind: "new" }],
  ["one that was only read", exported([webhook("orders", { external: true })]), { kind: "new" }],
  [
    "one whose webhook waits for its deletion",
    exported([webhook("orders", { delete: true })]),
    { kind: "new" },
  ],
  ["a webhook", exported([webhook("orders")]), known],
  [
    "one beside the older one that it replaced",
    exported([webhook("orders", { id: "0", delete: true }), webhook("orders")]),
    known,
  ],
  [
    "one that was deleted for a replacement",
    exported([webhook("orders", { pendingReplacement: true })]),
    { ...known, isDeleted: true },
  ],
  [
    "one of a Provider",
    exported([webhook("orders", { provider: providerOf("default_eu") })]),
    { ...known, provider: "default_eu" },
  ],
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
    exported([webhook("orders", { id: IN_DOUBT })]),
    { kind: "unresolved", name: "Orders", sentAt: "2026-01-01T12:00:00Z" },
  ],
  [
    "an import",
    exported([webhook("orders", { outputs: { ...outputs, unconfirmed: true } })]),
    { kind: "unconfirmed", id: "1", by: "import" },
  ],
  [
    "a cut-off update",
    exported([webhook("orders")], [pending("updating", "orders", { id: "1" })]),
    { ...known, sendAgain: true },
  ],
  [
    "a cut-off update without an id",
    exported([webhook("orders")], [pending("updating", "orders")]),
    { ...known, sendAgain: true },
  ],
  [
    "a cut-off delete",
    exported([webhook("orders")], [pending("deleting", "orders", { id: "1" })]),
    { ...known, sendAgain: true },
  ],
  [
    "a cut-off delete of the webhook that it replaced",
    exported([webhook("orders")], [pending("deleting", "orders", { id: "0" })]),
    known,
  ],
  [
    "a cut-off update that renamed it",
    exported([webhook("orders")], [pending("updating", "renamed", { id: "1", aliases: [urnOf("orders")] })]),
    { ...known, sendAgain: true },
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

it("counts the unconfirmed ids of each Provider", () => {
  const stack = new RecordedStack(
    exported([
      webhook("orders", { outputs: entered }),
      webhook("refunds", { outputs: { ...outputs, unconfirmed: true } }),
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

it("shows whether a noted create is settled", () => {
  const stack = new RecordedStack(exported([webhook("orders", { created: LATER })]));
  const note = { urn: urnOf("orders"), sentAt: EARLIER, api: "", file: "" };
  expect(stack.isSettled(note)).toBe(true);
  expect(stack.isSettled({ ...note, urn: urnOf("other") })).toBe(false);
});

it("distinguishes its own state from that of another stack or project", () => {
  const stack = new RecordedStack(exported([webhook("orders")]));
  expect(stack.isOf({ stack: "dev", project: "test" })).toBe(true);
  expect(stack.isOf({ stack: "prod", project: "test" })).toBe(false);
  expect(stack.isOf({ stack: "dev", project: "other" })).toBe(false);
  expect(new RecordedStack({}).isOf({ stack: "prod", project: "other" })).toBe(true);
});
