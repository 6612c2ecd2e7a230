/** The oldest Node.js that undici, and with it this package, loads in; the same as in package.json's `engines`. */
export const OLDEST_NODE = "22.19.0";

/** Explains that this Node.js is too old, or Bun, which lacks modules of Node.js. @returns undefined if it is neither. */
export function oldNodeProblem(): string | undefined {
  const { bun, node: current } = process.versions;
  if (bun !== undefined)
    return `pulumi-webhooks does not run in Bun (this is ${bun}). Set runtime: nodejs in Pulumi.yaml, or use the plugin from a language that Pulumi runs without Node.js: see docs/languages.md.`;
  if (current.localeCompare(OLDEST_NODE, "en", { numeric: true }) >= 0) return undefined;
  return `pulumi-webhooks requires Node.js ${OLDEST_NODE} or newer; this is ${current}. Install a newer one.`;
}
