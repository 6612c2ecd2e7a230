import { expect, it } from "vitest";
import { ProgramImports } from "../../src/program/program-imports.js";

it("returns the other resources that import the same id", () => {
  const imports = new ProgramImports();
  const [one, two] = [{ urn: "urn:one" }, { urn: "urn:two" }];
  expect(imports.add("1", one)).toEqual([]);
  expect(imports.add("2", two)).toEqual([]);
  expect(imports.add("1", two)).toEqual([one]);
  expect(imports.add("1", one)).toEqual([two]);
});
