/** The oldest Node.js that undici, and with it this package, loads in: the same as in package.json's `engines`. */
export const OLDEST_NODE = "22.19.0";

/** Says in a line that this Node.js is too old; undefined where it is not. */
export function oldNodeProblem(): string | undefined {
  const current = process.versions.node;
  if (current.localeCompare(OLDEST_NODE, "en", { numeric: true }) >= 0) return undefined;
  return `pulumi-webhooks needs Node.js ${OLDEST_NODE} or newer, and this is ${current}: install a newer one.`;
}
