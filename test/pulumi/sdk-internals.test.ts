import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { findRole } from "../../src/pulumi/sdk-internals.js";

// The tests of the plugin, of the program and of the engine's log use all else.

it("runs programs and components by scripts with these names", () => {
  const { resolve } = createRequire(import.meta.url);
  const roles = ["run", "run-plugin"].map((name) => findRole(resolve(`@pulumi/pulumi/cmd/${name}`)));
  expect(roles).toEqual(["program", "component"]);
  expect(findRole("/home/me/automation.js")).toBeUndefined();
});
