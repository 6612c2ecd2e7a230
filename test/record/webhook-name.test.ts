import { expect, it } from "vitest";
import { isSameName, mayBeShownAs, nameHashOf } from "../../src/record/webhook-name.js";

it.each([
  [true, "Orders of the sh", { name: "Orders of the shop", apiName: nameHashOf("Orders of the sh") }],
  [false, "Orders of the", { name: "Orders of the shop", apiName: nameHashOf("Orders of the sh") }],
  [true, "★★", { name: "★★ " }],
  [false, "★", { name: "★★" }],
])("finds %s for the replied name %s of %j", (expected, replied, known) => {
  expect(isSameName(replied, known)).toBe(expected);
});

it.each([
  [true, "Orders", { name: "orders" }],
  [true, "Orders of US", { name: "Orders of EU", apiName: nameHashOf("Orders of") }],
  [true, "Orders of the shop", { name: "Orders" }],
  [false, "Orders", { name: "Orders of the shop" }],
  [false, "Invoices", { name: "Orders", apiName: nameHashOf("Ord") }],
])("finds %s if the API may show %s like %j", (expected, name, known) => {
  expect(mayBeShownAs(name, known)).toBe(expected);
});
