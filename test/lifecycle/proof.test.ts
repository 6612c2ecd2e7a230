import { expect, it } from "vitest";
import { proofOf } from "../../src/lifecycle/proof.js";
import type { State } from "../../src/lifecycle/state.js";
import { orders } from "./webhooks.js";

const recorded = { ...orders, baseUrl: "https://api.example.com" };
const short = { ...recorded, apiName: "Ord" };
const oldName = (name: string) => `its name should be Refunds, but the API replied that it is ${name}`;

it.each<[string, from: State, to: string, replied: object, string?]>([
  ["the recorded name", recorded, "Refunds", { name: "Orders" }, oldName("Orders")],
  [
    "it as the API writes it",
    { ...recorded, apiName: "ORDERS" },
    "Refunds",
    { name: "ORDERS" },
    oldName("ORDERS"),
  ],
  ["a secret one", { ...recorded, __secretName: true }, "Refunds", { name: "Orders" }, oldName("[secret]")],
  ["the new name in its own way", recorded, "A & B", { name: "a &amp; b" }],
  ["a name cut off, which begins as the old one", short, "Ordinary", { name: "Ord" }],
  ["a name cut off that is unchanged", short, "Orders", { name: "Ord" }],
  ["another case", recorded, "orders", { name: "Orders" }],
  ["a name that is neither", recorded, "Refunds", { name: "Something else" }],
  [
    "another enabled",
    recorded,
    "Orders",
    { enabled: true },
    "it should be disabled, but the API replied that it is enabled",
  ],
  ["neither", recorded, "Refunds", {}],
])("finds whether a reply contradicts an update if it has %s", (_, from, to, replied, contradiction) => {
  const sent = { ...orders, name: to, enabled: false };
  const proof = proofOf({ reply: replied, sent, recorded: from });
  expect(proof.kind === "contradiction" ? proof.how : undefined).toBe(contradiction);
});
