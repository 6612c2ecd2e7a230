import type { WebhookOutcome } from "./outcome.js";
import type { DoctorRun, Outcomes } from "./run.js";

/** A question that the API docs leave open, and how to find its answer in what the API replied. */
export interface Check {
  question: string;
  /** The request that answers it, possibly with others. */
  request: keyof Outcomes;
  /** Evaluates the outcome of that request. @returns undefined if it does not say enough to ask the question. */
  evaluate: (outcome: WebhookOutcome, run: DoctorRun) => Evaluation | undefined;
}

/** Checks by their keys, which are the same in every release, for machines. */
export type Checks = Readonly<Record<string, Check>>;

/** The result of a check. */
export interface Evaluation {
  /** Undefined if it is what the API replied. */
  answer: string | undefined;
  /** What the answer means for the user. */
  meaning: string;
  level: "good" | "limit" | "bad" | "failed" | "open";
}

/** A check with its result. */
export type CheckResult = Pick<Check, "question"> & Evaluation & { key: string; answer: string };

const evaluateAs =
  (level: Evaluation["level"]) =>
  (meaning: string, answer?: string): Evaluation => ({ level, meaning, answer });

/** Everything that depends on the answer works. The answer is what the API replied, if none is given. */
export const good = evaluateAs("good");
/** Something that depends on it does not work. The package still works. */
export const limit = evaluateAs("limit");
/** The package cannot work with this API, or with these settings. */
export const bad = evaluateAs("bad");
/** It could not be checked, because of the settings, the network or an outage of the API. */
export const failed = evaluateAs("failed");
/** The run did not get that far, or the reply was not clear. */
export const open = evaluateAs("open");
