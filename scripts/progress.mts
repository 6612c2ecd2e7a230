const PLAIN_EVERY_MS = 30_000;
const MOVING_EVERY_MS = 200;

/**
 * Shows on stderr that long work is in progress: a moving line on a terminal, else a plain line every 30 seconds.
 * Returns a function that stops it.
 */
export function showProgress(what: () => string, detail: () => string = () => ""): () => void {
  const start = Date.now();
  const elapsed = () => {
    const seconds = Math.floor((Date.now() - start) / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };
  const { stderr } = process;
  if (stderr.isTTY) {
    const draw = () => {
      const line = `${elapsed()}  ${what()}  ${detail()}`;
      // A line that wraps cannot be drawn over.
      stderr.write(`\r\x1b[K${line.slice(0, (stderr.columns || 80) - 1)}`);
    };
    draw();
    const timer = setInterval(draw, MOVING_EVERY_MS);
    return () => {
      clearInterval(timer);
      stderr.write("\r\x1b[K");
    };
  }
  console.error(`${what()} …`);
  const timer = setInterval(
    () => console.error(`${what()}, ${elapsed()} so far  ${detail()}`),
    PLAIN_EVERY_MS,
  );
  return () => clearInterval(timer);
}
