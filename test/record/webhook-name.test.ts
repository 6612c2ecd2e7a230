import { expect, it } from "vitest";
import { isSameName, mayBeShownAs, nameMarkOf } from "../../src/record/webhook-name.js";

it.each([
  [true, "Orders", { name: "Orders" }],
  [true, " ORDERS &amp; more", { name: "Orders & more" }],
  [false, "Orders 2", { name: "Orders" }],
  [true, "Orders of the sh", { name: "Orders of the shop", apiName: nameMarkOf("Orders of the sh") }],
  [false, "Orders of the", { name: "Orders of the shop", apiName: nameMarkOf("Orders of the sh") }],
  [true, "★★", { name: "★★ " }],
  [false, "★", { name: "★★" }],
])("finds %s for the replied name %s of %j", (expected, replied, known) => {
  expect(isSameName(replied, known)).toBe(expected);
});

it.each([
  [true, "Orders", { name: "orders" }],
  [
    true,
    "Orders of the shop US",
    { name: "Orders of the shop EU", apiName: nameMarkOf("Orders of the shop") },
  ],
  [true, "Orders of the shop", { name: "Orders" }],
  [false, "Orders", { name: "Orders of the shop" }],
  [false, "Invoices", { name: "Orders", apiName: nameMarkOf("Ord") }],
])("finds %s if the API may show %s like %j", (expected, name, known) => {
  expect(mayBeShownAs(name, known)).toBe(expected);
});
