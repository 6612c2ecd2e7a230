// What pairs of measurements, taken side by side in the same round, tell.

import jstat from "jstat";

/** A figure and the interval that holds the true one with 95 % confidence. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** The mean of samples that vary by chance, by Student's t. One sample tells nothing of the interval. */
export function mean(samples: readonly number[]): Estimate {
  const value = jstat.mean(samples);
  if (samples.length < 2) return { value, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const [low, high] = jstat.tci(value, 0.05, samples);
  return { value, low, high };
}

/** The ratio of what was measured in pairs: the mean of its logarithm, since ratios multiply. */
export function ratio(ours: readonly number[], theirs: readonly number[]): Estimate {
  if (ours.length !== theirs.length) throw new Error("ratios are of pairs");
  const { value, low, high } = mean(ours.map((our, index) => Math.log(our / (theirs[index] ?? Number.NaN))));
  return { value: Math.exp(value), low: Math.exp(low), high: Math.exp(high) };
}

/** The difference of what was measured in pairs. */
export function difference(ours: readonly number[], theirs: readonly number[]): Estimate {
  if (ours.length !== theirs.length) throw new Error("differences are of pairs");
  return mean(ours.map((our, index) => our - (theirs[index] ?? Number.NaN)));
}
