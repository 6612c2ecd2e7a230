import { logicalNameOf } from "../../record/urn.js";
import { type ExportedResource, findWebhooks, isKnown, type StackExport } from "../../stack/stack-export.js";
import type { Made, UnresolvedCreate } from "../../stack/unresolved.js";
import { shellArgument } from "../../wording/command.js";
import { CommandError } from "../command-error.js";

/** What became of a create: the webhook that it has made, or that it has made none. */
export type CreateOutcome = Made | "none";

/** What became of creates. One without an outcome stays unresolved. */
export type CreateOutcomes = ReadonlyMap<UnresolvedCreate, CreateOutcome>;

/** What a person says is not there. */
export interface NotThere {
  creates: readonly UnresolvedCreate[];
  /** The known webhooks, which the API answers as gone. */
  known: readonly ExportedResource[];
}

interface Stack {
  exported: StackExport;
  creates: readonly UnresolvedCreate[];
}

/**
 * Parses the option `--none`: the names, URNs or ids of what is not there; without any, all creates that are unresolved.
 *
 * @throws CommandError if one of them is none of the stack, or several.
 */
export function parseNone(option: true | readonly string[], { exported, creates }: Stack): NotThere {
  if (option === true) return { creates, known: [] };
  const found = option.map((name) => findByName(name, { exported, creates }));
  return {
    creates: [...new Set(found.flatMap(({ creates }) => creates))],
    known: [...new Set(found.flatMap(({ known }) => known))],
  };
}

function findByName(name: string, { exported, creates }: Stack): NotThere {
  const unresolved = creates.filter((create) =>
    [create.urn, logicalNameOf(create.urn), create.name].includes(name),
  );
  if (unresolved.length > 1)
    throw ambiguous(
      name,
      unresolved.map(({ urn }) => urn),
    );
  if (unresolved.length === 1) return { creates: unresolved, known: [] };
  // A name that was resolved before, or mistyped, must not remove a webhook that exists.
  const known = findWebhooks(exported).filter((record) => isKnown(record) && record.id === name);
  if (known.length > 1)
    throw ambiguous(
      name,
      known.map(({ id, urn }) => `${id} (${urn})`),
    );
  const [record] = known;
  // Nor must an answer that is repeated, if a webhook has the name of another one's id.
  if (record !== undefined && findWebhooks(exported).some((one) => namesOf(one).includes(name)))
    throw new CommandError(
      `A webhook of the stack is named ${name}, and one has this id. If that one is gone, run pulumi state delete ${shellArgument(record.urn)}.`,
      2,
    );
  if (record !== undefined) return { creates: [], known };
  const names = creates.map(({ urn }) => logicalNameOf(urn)).join(", ");
  throw new CommandError(
    `No unresolved webhook is named ${name}, and no other one has this id. Unresolved: ${names || "none"}.`,
    2,
  );
}

function namesOf({ urn, outputs }: ExportedResource): unknown[] {
  return [logicalNameOf(urn), outputs?.name];
}

function ambiguous(name: string, matches: readonly string[]): CommandError {
  const list = matches.map((match) => `\n  ${match}`).join("");
  return new CommandError(`--none ${name} may mean several webhooks. Use the URN or the id:${list}`, 2);
}

/** Reports whether a create may still take effect. */
export function isTooEarly({ until }: UnresolvedCreate): boolean {
  return until > new Date().toISOString();
}

/** @throws CommandError if one of the creates may still take effect. */
export function requireOldEnough(creates: readonly UnresolvedCreate[]): void {
  const young = creates.filter(isTooEarly);
  if (young.length === 0) return;
  const latest = young
    .map(({ until }) => until)
    .sort()
    .at(-1);
  const names = young.map(({ urn }) => logicalNameOf(urn)).join(", ");
  throw new CommandError(
    `The state was not changed. A create that was sent a moment ago may still take effect. Look again after ${latest}, and answer then: ${names}.`,
  );
}
