import { expect, it } from "vitest";
import { hasControl, printable, printableLines } from "../../src/wording/unprintable.js";

it.each([
  ["a line feed", "\n", true],
  ["an escape", "\u001b", true],
  ["a control character of two bytes", "\u009b", true],
  ["a line separator", "\u2028", true],
  ["a right-to-left override", "\u202e", false],
  ["a zero-width space", "\u200b", false],
  ["half of an emoji", "\ud83d", false],
  ["a private character", "\ue000", false],
])("finds and replaces %s", (_what, character, isControl) => {
  const text = `a${character}b`;
  expect(hasControl(text)).toBe(isControl);
  expect(printable(text)).toBe("a�b");
});

it("finds nothing in what people write", () => {
  const text = "Bestellungen (é, 注文, 🎉) & more";
  expect(hasControl(text)).toBe(false);
  expect(printable(text)).toBe(text);
});

it("keeps the line breaks of a text that has several lines, and indents by spaces where it has tabs", () => {
  expect(printableLines("one\u001b\n\ttwo\r\nthree\r")).toBe("one�\n    two\nthree�");
});
