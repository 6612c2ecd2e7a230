/** Measures how long an operation takes. */
export async function secondsOf(operation: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await operation;
  return (performance.now() - startedAt) / 1000;
}
