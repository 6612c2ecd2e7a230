// Compares measurements that were taken in pairs, side by side in the same round.

import jstat from "jstat";

/** A value, and the interval that holds the true value with 95 % confidence. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** Estimates the mean of samples that vary by chance, by Student's t. One sample gives no interval. */
export function mean(samples: readonly number[]): Estimate {
  const value = jstat.mean(samples);
  if (samples.length < 2) return { value, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const [low, high] = jstat.tci(value, 0.05, samples);
  return { value, low, high };
}

/** Estimates the ratio of pairs, by the mean of its logarithm, because ratios multiply. */
export function ratio(ours: readonly number[], theirs: readonly number[]): Estimate {
  const { value, low, high } = mean(pairs(ours, theirs).map(([our, their]) => Math.log(our / their)));
  return { value: Math.exp(value), low: Math.exp(low), high: Math.exp(high) };
}

/** Estimates the difference of pairs. */
export function difference(ours: readonly number[], theirs: readonly number[]): Estimate {
  return mean(pairs(ours, theirs).map(([our, their]) => our - their));
}

function pairs(ours: readonly number[], theirs: readonly number[]): [our: number, their: number][] {
  if (ours.length !== theirs.length) throw new Error("the samples are not pairs");
  return ours.map((our, index) => [our, theirs[index] ?? Number.NaN]);
}
