import { SIGNALS } from "../pulumi/termination.js";

/** `npx` forwards a Ctrl-C to its child, which got it from the terminal already: two within this time count as one. */
const ONE_CTRL_C_MILLISECONDS = 1000;

/** Lets the first signal call `first`, and not end the process; a later one calls `again` and ends it. @returns a function that stops that. */
export function onInterrupt(first: () => void, again: () => unknown): () => void {
  let interruptedAt: number | undefined;
  const interrupt = () => {
    if (interruptedAt === undefined) {
      interruptedAt = performance.now();
      first();
    } else if (performance.now() - interruptedAt > ONE_CTRL_C_MILLISECONDS) {
      again();
      process.exit(1);
    }
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return () => {
    for (const name of SIGNALS) process.off(name, interrupt);
  };
}
