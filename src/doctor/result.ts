import type { Examination } from "./examination.js";

/** A question that the API's document leaves open, and what this API answers. */
export interface Finding {
  /** The same in every release, for machines. */
  key: string;
  question: string;
  answer: string;
  /** What it means for the user. */
  meaning: string;
  /**
   * - `"good"`: all that the package can do works.
   * - `"limit"`: something does not, and the package works.
   * - `"bad"`: the package cannot work with this API, or with these settings.
   * - `"open"`: it was not asked, or not answered clearly.
   */
  level: "good" | "limit" | "bad" | "open";
}

/** A question, and how its finding is read from the answers. */
export interface Reading {
  key: string;
  question: string;
  /** Undefined where it was not asked. */
  read: (examination: Examination) => Read | undefined;
}

/** What a reading finds. */
export type Read = Pick<Finding, "answer" | "meaning" | "level">;
