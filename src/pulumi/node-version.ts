/** The oldest Node.js that undici, and with it this package, loads in; the same as in package.json's `engines`. */
export const OLDEST_NODE = "22.19.0";

/** Explains that this Node.js is too old. @returns undefined if it is not. */
export function oldNodeProblem(): string | undefined {
  const current = process.versions.node;
  if (current.localeCompare(OLDEST_NODE, "en", { numeric: true }) >= 0) return undefined;
  return `pulumi-webhooks requires Node.js ${OLDEST_NODE} or newer; this is ${current}. Install a newer one.`;
}
