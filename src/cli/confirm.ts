import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/** A terminal to ask a person at. */
export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Whether there is someone to ask. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks, not on stdout, which is for the report; anything but a yes is a no, Ctrl-C and the end of input too. */
export async function isAgreed(question: string, { stdin, stderr }: Terminal): Promise<boolean> {
  const terminal = createInterface({ input: stdin, output: stderr });
  // A closed terminal leaves the question unanswered for ever, or rejects it: both are a no.
  const closed = once(terminal, "close").then(() => "");
  try {
    const answer = await Promise.race([terminal.question(question).catch(() => ""), closed]);
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } finally {
    terminal.close();
  }
}
