// What must not be printed: the one rule for names, messages, URLs and reports.

/** What ends a line, or controls a terminal. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** Control characters, and those without a shape of their own, which hide what is written, or reverse the order of what is read. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Reports whether a text contains a line break or another control character. */
export const hasControl = (text: string) => CONTROL.test(text);

/** Makes a text printable on one line: no name and no message of others may control the terminal, or look like a line of ours. */
export const printable = (text: string, by = "\u{fffd}") => text.replace(UNPRINTABLE, by);

/** Makes a text of several lines printable. Pulumi indents by tabs, which move the cursor only. */
export const printableLines = (text: string) =>
  text
    .replaceAll("\t", "    ")
    .split(/\r?\n/)
    .map((line) => printable(line))
    .join("\n");
