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
export async function confirm(question: string, { stdin, stderr }: Terminal): Promise<boolean> {
  const terminal = createInterface({ input: stdin, output: stderr });
  // If the terminal is closed, the question is never answered, or it rejects: both are a no.
  const closed = once(terminal, "close").then(() => "");
  try {
    const answer = await Promise.race([terminal.question(question).catch(() => ""), closed]);
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } finally {
    terminal.close();
  }
}
