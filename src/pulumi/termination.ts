import { WebhookError } from "../wording/errors.js";

/** The signals that end a process: of a runner that stops a job, of a terminal, and of the engine at the end of a run. */
export const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** The result of an operation leaves this process within this time after the operation has ended. */
const DELIVERY_MILLISECONDS = 100;

/**
 * Postpones the end of this process until its operations have ended.
 *
 * Job runners send SIGTERM to all processes of a run. The engine waits for the creates in flight, but if the provider
 * process dies, it forgets them: it records nothing, and the next up would create the webhooks again.
 */
export class Termination {
  readonly #sending = new AbortController();
  readonly #results = new AbortController();
  readonly #atEnd: () => void;
  #inFlight = 0;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #received: NodeJS.Signals | undefined;
  /** Aborts when the process has to end: from then on, nothing new is sent. */
  readonly stopSending: AbortSignal = this.#sending.signal;
  /**
   * Aborts when the engine may not save the results of operations: it is gone, or the run was interrupted during them. An
   * engine that ends well waits for its operations first; one that is interrupted twice saves no more.
   */
  readonly resultsMayBeLost: AbortSignal = this.#results.signal;

  /**
   * Listens to the signals, which keeps no process alive.
   * @param lost aborts when the engine is gone. The process would stay for good: only the engine ends it.
   * @param atEnd called when the process ends, after its operations. It may be called twice.
   */
  constructor({ lost, atEnd }: { lost: AbortSignal | undefined; atEnd: () => void }) {
    this.#atEnd = atEnd;
    for (const name of SIGNALS) process.on(name, this.#onSignal);
    lost?.addEventListener("abort", () => {
      this.#results.abort();
      this.#onSignal("SIGTERM");
    });
  }

  /** Runs an operation to its end, before this process ends. */
  async finish<Result>(operation: () => Promise<Result>): Promise<Result> {
    this.#inFlight++;
    try {
      return await operation();
    } finally {
      this.#inFlight--;
      this.#lastEnd = performance.now();
      this.#endIfIdle();
    }
  }

  /** Sends nothing new. The engine asks for it if a user interrupts a run, and before it closes a plugin, whose results it has. */
  cancel(): void {
    this.#stopSending();
    if (this.#inFlight === 0) this.#atEnd();
  }

  #stopSending(): void {
    if (this.#inFlight > 0) this.#results.abort();
    this.#sending.abort(endingError());
  }

  readonly #onSignal = (name: NodeJS.Signals): void => {
    this.#received ??= name;
    this.#stopSending();
    this.#endIfIdle();
  };

  /** Lets the signal do what it does without this class. Other packages in this process may listen to it, too. */
  #endIfIdle(): void {
    const received = this.#received;
    if (received === undefined || this.#inFlight > 0) return;
    const rest = this.#lastEnd + DELIVERY_MILLISECONDS - performance.now();
    if (rest > 0) return void setTimeout(() => this.#endIfIdle(), rest);
    for (const name of SIGNALS) process.off(name, this.#onSignal);
    this.#atEnd();
    if (process.listenerCount(received) === 0) process.kill(process.pid, received);
  }
}

/** The error for an operation that comes, or still waits to send its request, when this process has to end. */
export function endingError(): WebhookError {
  return new WebhookError({
    summary: "This run is ending",
    detail: "no request was sent for this webhook. Run the command again.",
  });
}
