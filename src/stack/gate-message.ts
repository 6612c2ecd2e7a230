import { mayTakeEffect } from "../record/in-doubt-id.js";
import { listNames, shownName } from "../record/label.js";
import { printStackName, type StackName } from "../record/stack-name.js";
import { logicalNameOf } from "../record/urn.js";
import { resolveAdvice } from "../wording/command.js";
import type { UnresolvedCreate } from "./unresolved.js";

/**
 * Describes the creates with unknown outcomes of a stack, and what to do, in one line. While there is one, the gate is closed:
 * an up that declares a webhook creates, changes and deletes none.
 *
 * @returns undefined if there is none.
 */
export function describeGate(
  unresolved: readonly UnresolvedCreate[],
  stack: StackName | undefined,
): string | undefined {
  const [first] = unresolved;
  if (first === undefined) return undefined;
  const names = listNames(unresolved.map(({ urn }) => shownName(logicalNameOf(urn))));
  const webhooks = unresolved.length === 1 ? "webhook" : "webhooks";
  const active = unresolved.some((create) => create.shownBy !== "record" && mayTakeEffect(create))
    ? "A run may be active: if so, wait until it has ended. Otherwise, "
    : "";
  return `${active}pulumi up changes no webhook of this stack, because it is unknown whether the API created ${webhooks} ${names}. ${resolveAdvice(stack && printStackName(stack))}: it says what to look for in the dashboard. Do not run pulumi refresh first.`;
}
