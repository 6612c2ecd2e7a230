// jstat has no types. These are for the functions that statistics.mts uses.
declare module "jstat" {
  const jstat: {
    mean(values: readonly number[]): number;
    tci(value: number, alpha: number, samples: readonly number[]): [low: number, high: number];
  };
  export default jstat;
}
