import { mayTakeEffect, shownUntil } from "../../record/in-doubt-id.js";
import { logicalNameOf } from "../../record/urn.js";
import type { Made, UnresolvedCreate } from "../../stack/unresolved.js";
import { CommandError } from "../command-error.js";

/** What became of a create: the webhook that it has made, or that it has made none. */
export type CreateOutcome = Made | "none";

/** What became of creates. One without an outcome stays unresolved. */
export type CreateOutcomes = ReadonlyMap<UnresolvedCreate, CreateOutcome>;

/**
 * Parses the option `--none`: the names or URNs of what is not there; without any, all creates that are unresolved.
 *
 * @throws CommandError if one of them is none of the stack, or several.
 */
export function parseNone(
  option: true | readonly string[],
  creates: readonly UnresolvedCreate[],
): readonly UnresolvedCreate[] {
  return option === true ? creates : [...new Set(option.map((name) => findByName(name, creates)))];
}

function findByName(name: string, creates: readonly UnresolvedCreate[]): UnresolvedCreate {
  const [found, ...others] = creates.filter((create) =>
    [create.urn, logicalNameOf(create.urn), create.name].includes(name),
  );
  if (found !== undefined && others.length === 0) return found;
  const names = creates.map(({ urn }) => logicalNameOf(urn)).join(", ");
  const problem =
    found === undefined
      ? `No unresolved webhook is named ${name}. ${names === "" ? "Nothing is unresolved" : `Unresolved: ${names}`}.`
      : `--none ${name} may mean several webhooks. Use the URN:${[found, ...others].map(({ urn }) => `\n  ${urn}`).join("")}`;
  throw new CommandError(problem, 2);
}

/** @throws CommandError if one of the creates may still take effect. */
export function requireOldEnough(creates: readonly UnresolvedCreate[]): void {
  const young = creates.filter(mayTakeEffect);
  if (young.length === 0) return;
  const [latest = ""] = young.map(({ until }) => until).toSorted((one, other) => other.localeCompare(one));
  const names = young.map(({ urn }) => logicalNameOf(urn)).join(", ");
  throw new CommandError(
    `The state was not changed. A create that was sent a moment ago may still take effect. Look again after ${shownUntil(latest)}, and answer then: ${names}.`,
  );
}
