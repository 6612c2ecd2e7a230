import { describe, expect, it } from "vitest";
import { indentJson } from "../../src/simulator/ui/indent-json.js";

describe("indentJson", () => {
  it.each([{}, [], { a: [] }, { a: {}, b: [1, true, null, { c: 'x: "y", {z}\\' }] }, [[["deep"]]]])(
    "indents %j as JSON.stringify does, with spaces in it or not",
    (value) => {
      const indented = JSON.stringify(value, undefined, 2);
      expect(indentJson(JSON.stringify(value))).toBe(indented);
      expect(indentJson(`\n${JSON.stringify(value, undefined, "\t ")}  `).trim()).toBe(indented);
    },
  );

  it("keeps every digit of a number, and a field that occurs twice", () => {
    expect(indentJson('{"id":90071992547409931234,"id":1.50}')).toBe(
      '{\n  "id": 90071992547409931234,\n  "id": 1.50\n}',
    );
  });

  it.each([
    ['{"data":{"webhook":{"id":1,"na', '{\n  "data": {\n    "webhook": {\n      "id": 1,\n      "na'],
    ['[{"message":"a, b\\', '[\n  {\n    "message": "a, b\\'],
    ['{"id":1}}}', '{\n  "id": 1\n}\n}\n}'],
  ])("also indents JSON that is cut off or malformed: %s", (text, indented) => {
    expect(indentJson(text)).toBe(indented);
  });

  it.each(["", "null", '"a, b"', "<!doctype html>\n<p>{a, b}", "[secret] is wrong", "{ color: red }"])(
    "returns any other text as it is: %s",
    (text) => {
      expect(indentJson(text)).toBe(text);
    },
  );

  it("does not grow beyond reason for a reply of nothing but brackets", () => {
    expect(indentJson("[".repeat(5000)).length).toBeLessThan(250_000);
  });
});
