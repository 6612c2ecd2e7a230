// Preloaded into a provider's process: on a message, collects the garbage and replies with the size of the heap.

process.on("message", () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.channel?.unref();
