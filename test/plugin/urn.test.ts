import { expect, it } from "vitest";
import { stackOf } from "../../src/plugin/urn.js";

it("reads the stack and the project of a URN", () => {
  expect(stackOf("urn:pulumi:dev::shop::a$b::c::d")).toEqual({ stack: "dev", project: "shop" });
  expect(stackOf("")).toEqual({ stack: "", project: "" });
});
