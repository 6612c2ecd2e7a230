import { expect, it } from "vitest";
import { printable, printableLines, toPrintableJson } from "../../src/commands/printable.js";

const HOSTILE = "x\u001b]0;title\u0007\u001b[2J\r\nNo drift\u202e\u009b\u2028";

it("replaces what could control a terminal, forge a line or reverse the text", () => {
  expect(printable(HOSTILE)).toBe("x�]0;title��[2J��No drift���");
  expect(printable("Bestellungen für Zoë 注文 🎉")).toBe("Bestellungen für Zoë 注文 🎉");
});

it("keeps the line breaks of a text that has several lines", () => {
  expect(printableLines("one\u001b\ntwo\r\nthree\r")).toBe("one�\ntwo\nthree�");
});

it("indents by spaces where a text of several lines has a tab", () => {
  expect(printableLines("error:\n\tcaused by")).toBe("error:\n    caused by");
});

it("escapes in JSON what a terminal cannot show, and changes no value", () => {
  const value = { name: HOSTILE, emoji: "👩\u200d💻", tag: "\u{e0001}" };
  const json = toPrintableJson(value);
  expect(JSON.parse(json)).toEqual(value);
  expect(json.split("\n").map(printable).join("\n")).toBe(json);
});
