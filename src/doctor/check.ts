import type { DoctorRun } from "./run.js";

/** A question that the API docs leave open, and how to find its answer in what the API replied. */
export interface Check {
  /** The same in every release, for machines. */
  key: string;
  question: string;
  /** Evaluates a run. @returns undefined if the run did not get as far as this check. */
  evaluate: (run: DoctorRun) => Evaluation | undefined;
}

/** The result of a check. */
export interface Evaluation {
  answer: string;
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
export type CheckResult = Pick<Check, "key" | "question"> & Evaluation;
