import { expect, it } from "vitest";
import { isSameName, nameHashOf } from "../../src/record/webhook-name.js";

it.each([
  [true, "Orders of the sh", { name: "Orders of the shop", apiName: nameHashOf("Orders of the sh") }],
  [false, "Orders of the", { name: "Orders of the shop", apiName: nameHashOf("Orders of the sh") }],
  [true, "★★", { name: "★★ " }],
  [false, "★", { name: "★★" }],
])("finds %s for the replied name %s of %j", (expected, replied, known) => {
  expect(isSameName(replied, known)).toBe(expected);
});
