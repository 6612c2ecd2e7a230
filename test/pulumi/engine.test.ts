import { expect, it } from "vitest";
import { engineAddress } from "../../src/pulumi/engine.js";

it.each([
  [["127.0.0.1:4711"], "127.0.0.1:4711"],
  [["[::1]:4711"], "[::1]:4711"],
  [["-v=9", "--tracing", "http://127.0.0.1:9411/api/v1/spans", "127.0.0.1:4711"], "127.0.0.1:4711"],
  [["run", "test/engine"], undefined],
])("finds the engine's address among the arguments %j", (args, address) => {
  expect(engineAddress(args)).toBe(address);
});
