// What must not be printed: the one rule for names, messages, URLs and reports.

/** What ends a line, or controls a terminal. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** Control characters, and those without a shape of their own, which hide what is written, or reverse the order of what is read. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Reports whether a text contains a line break or another control character. */
export const hasControl = (text: string) => CONTROL.test(text);

/** Reports whether a text contains a character that must not be printed. */
export const hasUnprintable = (text: string) => text.search(UNPRINTABLE) !== -1;

/** Replaces each character that must not be printed. */
export const replaceUnprintable = (text: string, by: (character: string) => string) =>
  text.replace(UNPRINTABLE, by);
