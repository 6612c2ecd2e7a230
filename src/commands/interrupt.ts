/** The signals that end a run: Ctrl-C, a runner that is evicted, a terminal that is closed, Ctrl-\. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** `npx` forwards a Ctrl-C to its child, which got it from the terminal already: two within this time count as one. */
const ONE_CTRL_C_MILLISECONDS = 1000;

interface Reactions {
  first: (signal: NodeJS.Signals) => void;
  again: () => void;
}

/** Lets signals not end the process: the first calls `first`, each later one `again`. @returns a function that stops that. */
export function onInterrupt({ first, again }: Reactions): () => void {
  let interruptedAt: number | undefined;
  const interrupt = (signal: NodeJS.Signals) => {
    if (interruptedAt === undefined) {
      interruptedAt = performance.now();
      first(signal);
    } else if (performance.now() - interruptedAt > ONE_CTRL_C_MILLISECONDS) again();
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return () => {
    for (const name of SIGNALS) process.off(name, interrupt);
  };
}
