import { mayTakeEffect, shownUntil } from "../../record/in-doubt-id.js";
import { logicalNameOf } from "../../record/urn.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { CommandError } from "../command-error.js";
import { ask, type Terminal } from "../confirm.js";

/**
 * Parses the option `--none`: the names or URNs of what is not there; without any, all about which there is a question. Who names a
 * webhook that this machine would record has looked. @throws CommandError if a name is unclear, or if one may still take effect.
 */
export function parseNone(
  option: true | readonly string[],
  creates: readonly UnresolvedCreate[],
): readonly UnresolvedCreate[] {
  const named = option === true ? creates.filter(isAsked) : option.map((name) => findByName(name, creates));
  const young = named.filter(mayTakeEffect);
  const [latest] = young.map(({ until }) => until).toSorted((one, other) => other.localeCompare(one));
  if (latest === undefined) return [...new Set(named)];
  const names = young.map(({ urn }) => logicalNameOf(urn)).join(", ");
  throw new CommandError(
    `The state was not changed. A create that was sent a moment ago may still take effect. Look again after ${shownUntil(latest)}, and answer then: ${names}.`,
  );
}

/** Reports whether a create is a question: this machine does not know the outcome, or cannot record it. */
export const isAsked = ({ made }: UnresolvedCreate) => made === undefined;

/** Reports whether the question can be answered now. Of a create that may still take effect, the report says that. */
export const mayBeAnswered = (create: UnresolvedCreate) => isAsked(create) && !mayTakeEffect(create);

function findByName(name: string, creates: readonly UnresolvedCreate[]): UnresolvedCreate {
  const [found, ...others] = creates.filter((create) =>
    [create.urn, logicalNameOf(create.urn), create.name].includes(name),
  );
  if (found !== undefined && others.length === 0) return found;
  const called = `${found === undefined ? "No unresolved webhook is" : "Several unresolved webhooks are"} called ${name}`;
  const urns = creates.map(({ urn }) => `\n  ${urn}`).join("");
  throw new CommandError(`${called}. ${urns ? `Use a URN:${urns}` : "Nothing is unresolved."}`, 2);
}

/** Asks a person once about all that a report lists. None is an answer to its questions; names may also be of what would be recorded. */
export async function askNone(creates: readonly UnresolvedCreate[], io: Terminal = process) {
  const text = await ask(QUESTION, io);
  if (text === undefined) throw new CommandError("Interrupted. The state was not changed.");
  const names = text.split(",").flatMap((name) => name.trim() || []);
  const isAll = names.length === 1 && /^(?:n|no|none)$/i.test(names[0] ?? "");
  return isAll ? creates.filter(mayBeAnswered) : parseNone(names, creates);
}

/** The question at a terminal. */
export const QUESTION =
  "n: none of these webhooks is in the dashboard (any more); or the names of the missing ones, separated by commas; Enter to decide later: ";
