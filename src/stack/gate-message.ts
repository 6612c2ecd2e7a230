import { mayTakeEffect } from "../record/in-doubt-id.js";
import { shownName } from "../record/label.js";
import { printStackName, type StackName } from "../record/stack-name.js";
import { logicalNameOf } from "../record/urn.js";
import { resolveAdvice } from "../wording/command.js";
import type { UnresolvedCreate } from "./unresolved.js";

/** Describes the unresolved creates of a stack, and what to do, in one line. @returns undefined if there is none: then the gate is open. */
export function describeGate(
  unresolved: readonly UnresolvedCreate[],
  stack: StackName | undefined,
): string | undefined {
  if (unresolved.length === 0) return undefined;
  const created = unresolved.filter(({ notedId }) => notedId !== undefined);
  const unknown = unresolved.filter(({ notedId }) => notedId === undefined);
  const reasons = [
    unknown.length > 0 && `it is unknown whether the API created ${nameAll(unknown)}`,
    created.length > 0 && `the state does not have ${nameAll(created)}, which the API created`,
  ].filter(Boolean);
  const active = unresolved.some((create) => create.shownBy !== "record" && mayTakeEffect(create))
    ? "A run may be active: if so, wait until it has ended. Otherwise, "
    : "";
  return `${active}pulumi up changes no webhook of this stack, because ${reasons.join(", and ")}. ${resolveAdvice(stack && printStackName(stack))}: it says what to do. Do not run pulumi refresh first.`;
}

const MAX_NAMES = 10;

function nameAll(creates: readonly UnresolvedCreate[]): string {
  const names = creates.map(({ urn }) => shownName(logicalNameOf(urn)));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `${names.length === 1 ? "webhook" : "webhooks"} ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}
