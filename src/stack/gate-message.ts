import { listNames, shownName } from "../record/shown-name.js";
import { resolveCommand } from "../record/urn.js";
import type { UnresolvedCreate } from "./unresolved.js";

/**
 * Describes the creates with unknown outcomes of a stack, and what to do, in one line. While there is one, the gate is closed:
 * an up that declares a webhook creates, changes and deletes none.
 *
 * @returns undefined if there is none.
 */
export function describeGate(unresolved: readonly UnresolvedCreate[]): string | undefined {
  const [first] = unresolved;
  if (first === undefined) return undefined;
  const names = listNames(unresolved.map(({ name }) => shownName({ name })));
  const webhooks = unresolved.length === 1 ? "webhook" : "webhooks";
  return `pulumi up changes no webhook of this stack, because it is unknown whether the API created ${webhooks} ${names}. Run ${resolveCommand(first.urn)}: it asks only for what it cannot find out itself.`;
}
