import { afterEach, expect, it, vi } from "vitest";
import { oldNodeProblem } from "../../src/pulumi/node-version.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  [{ node: "22.19.0" }, undefined],
  [{ node: "22.2.0" }, "pulumi-webhooks requires Node.js 22.19.0 or newer; this is 22.2.0."],
  [{ node: "24.3.0", bun: "1.3.0" }, "pulumi-webhooks does not run in Bun (this is 1.3.0)."],
])("accepts a Node.js that is new enough, and no Bun: %o", (versions, problem) => {
  vi.stubGlobal("process", { versions });
  const expected = problem === undefined ? undefined : expect.stringContaining(problem);
  expect(oldNodeProblem()).toEqual(expected);
});
