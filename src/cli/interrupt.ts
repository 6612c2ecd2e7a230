/** What ends a run: Ctrl-C, a runner that is evicted, a terminal that is closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `npx` sends a Ctrl-C on to its child, which has got it from the terminal already: so close, both are one. */
const SAME_MILLISECONDS = 1000;

/**
 * Keeps signals from ending the process: the first calls `first`, so that the run can tidy up, a later one `again`.
 *
 * @returns how to stop listening.
 */
export function onInterruption({ first, again }: { first: () => void; again: () => void }): () => void {
  let since: number | undefined;
  const interrupt = () => {
    if (since === undefined) {
      since = performance.now();
      first();
    } else if (performance.now() - since > SAME_MILLISECONDS) again();
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return () => {
    for (const name of SIGNALS) process.off(name, interrupt);
  };
}
