// jstat has no types of its own; these are of the functions that the statistics use.
declare module "jstat" {
  const jstat: {
    mean(values: readonly number[]): number;
    tci(value: number, alpha: number, samples: readonly number[]): [low: number, high: number];
  };
  export default jstat;
}
