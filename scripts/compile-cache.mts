import { join } from "node:path";

/** Returns the environment in which Node.js processes share, in a folder, the code that they compile. */
export function sharedCompileCache(folder: string) {
  const flags = join(import.meta.dirname, "same-flags.cjs");
  return { NODE_COMPILE_CACHE: folder, NODE_OPTIONS: `--require ${JSON.stringify(flags)}` };
}
