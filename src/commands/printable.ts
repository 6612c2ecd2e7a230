import { replaceUnprintable } from "../wording/unprintable.js";

/** Makes a text printable on one line: no name and no message of others may control the terminal, or look like a line of ours. */
export function printable(text: string): string {
  return replaceUnprintable(text, () => "\u{fffd}");
}

/** Makes a text of several lines printable. Pulumi indents by tabs, which move the cursor only. */
export function printableLines(text: string): string {
  return text.replaceAll("\t", "    ").split(/\r?\n/).map(printable).join("\n");
}

/** Changes all texts in a value that is JSON. */
export function mapTexts<Value extends object>(value: Value, change: (text: string) => string): Value {
  return JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === "string" ? change(inner) : inner));
}

/** Writes a value as JSON that a terminal can show: what it could not is escaped, and the value is the same. */
export function toPrintableJson(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split("\n");
  return lines.map((line) => replaceUnprintable(line, escapeUnits)).join("\n");
}

function escapeUnits(character: string): string {
  return character.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
