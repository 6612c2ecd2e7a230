// Loaded into a provider's process before all else: when asked, it collects the garbage and tells what is left.

process.on("message", () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.channel?.unref();
