import type { WebhookOutcome } from "./outcome.js";
import type { DoctorRun, Outcomes } from "./run.js";

/** A question that the API docs leave open, and how to find its answer in what the API replied. */
export interface Check {
  /** The same in every release, for machines. */
  key: string;
  question: string;
  /** The request that answers it, possibly with others. */
  request: keyof Outcomes;
  /** Evaluates the outcome of that request. @returns undefined if it does not say enough to ask the question. */
  evaluate: (outcome: WebhookOutcome, run: DoctorRun) => Evaluation | undefined;
}

/** The result of a check. */
export interface Evaluation {
  /** Default: what the API replied. */
  answer?: string;
  /** What the answer means for the user. */
  meaning: string;
  /**
   * - `"good"`: everything that depends on it works.
   * - `"limit"`: something that depends on it does not work. The package still works.
   * - `"bad"`: the package cannot work with this API, or with these settings.
   * - `"failed"`: it could not be checked, because of the settings, the network or an outage of the API.
   * - `"open"`: the run did not get that far, or the reply was not clear.
   */
  level: "good" | "limit" | "bad" | "failed" | "open";
}

/** A check with its result. */
export type CheckResult = Pick<Check, "key" | "question"> & Required<Evaluation>;
