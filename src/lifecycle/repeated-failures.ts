import { WebhookError } from "../errors.js";
import type { Recorded } from "./recorded-failures.js";
import { asRecorded, isRecorded } from "./recorded-failures.js";

/** How often an operation may fail before its record counts as a success. The engine gives up after 100 attempts. */
const MAX_FAILURES = 50;

interface Failures {
  count: number;
  /** What the engine has to record, if an attempt may have taken effect. */
  recorded: Recorded | undefined;
}

/**
 * Keeps the records of operations that the engine repeats because an error hook of the program asks for it.
 *
 * The engine saves what its last attempt says. After 100 attempts it saves neither an id nor outputs, and never asks the
 * provider about the webhook again.
 */
export class RepeatedFailures {
  readonly #failures = new Map<string, Failures>();
  readonly #warn: (message: string) => Promise<void> | void;

  constructor(warn: (message: string) => Promise<void> | void) {
    this.#warn = warn;
  }

  /**
   * Runs an attempt of an operation.
   *
   * @param key the same for each attempt: the id of an update, the inputs of a create.
   * @param attempt returns the result of the operation.
   * @param toResult builds a result of a failure that came too often. The next up then finds the webhook in doubt or
   * unconfirmed, as after any other failure.
   * @throws what the attempt throws. An update that is refused gets the record of an attempt that may have taken effect.
   */
  async run<Result>(
    key: string,
    attempt: () => Promise<Result>,
    toResult: (failure: Recorded) => Result,
  ): Promise<Result> {
    try {
      const result = await attempt();
      this.#failures.delete(key);
      return result;
    } catch (error) {
      const failures = this.#add(key, error);
      if (failures.recorded === undefined) throw error;
      if (failures.count < MAX_FAILURES) throw failures.recorded;
      await this.#warn(failures.recorded.message);
      return toResult(failures.recorded);
    }
  }

  #add(key: string, error: unknown): Failures {
    const { count, recorded: earlier } = this.#failures.get(key) ?? { count: 0, recorded: undefined };
    const isRefusal = error instanceof WebhookError && !isRecorded(error);
    // The key of an update is its id. Creates with one key may be those of two resources.
    const latest = isRefusal && earlier?.id === key ? asRecorded(error, key, earlier.properties) : error;
    const failures = { count: count + 1, recorded: isRecorded(latest) ? latest : undefined };
    this.#failures.set(key, failures);
    return failures;
  }
}
