import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/** The streams of a terminal. */
export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Reports whether a person can be asked. */
export function canConfirm({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks on stderr, since stdout is for the report. Only a yes is a yes: Ctrl-C and the end of the input are a no. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  return /^\s*y(?:es)?\s*$/i.test((await ask(question, terminal)) ?? "");
}

/** Asks for a text on stderr. @returns undefined on Ctrl-C and at the end of the input. */
export async function ask(question: string, { stdin, stderr }: Terminal): Promise<string | undefined> {
  const terminal = createInterface({ input: stdin, output: stderr });
  // If the terminal is closed, the question is never answered, or it rejects.
  const closed = once(terminal, "close").then(() => undefined);
  try {
    return await Promise.race([terminal.question(question).catch(() => undefined), closed]);
  } finally {
    terminal.close();
  }
}
