import { logicalNameOf } from "../../record/urn.js";
import { listSettings } from "../../stack/providers.js";
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

const DEFAULT_TIMEOUT_SECONDS = 30;

/** Returns for how many seconds a request may wait for its reply: the longest time of the state's Providers, and of the environment. */
export function timeoutSecondsOf(exported: StackExport): number {
  const settings = listSettings(exported).map((one) => one["webhooks:timeoutSeconds"]);
  const seconds = [...settings, process.env.WEBHOOKS_TIMEOUT_SECONDS].map(Number).filter((one) => one > 0);
  return seconds.length === 0 ? DEFAULT_TIMEOUT_SECONDS : Math.max(...seconds);
}

/** A request that has left may take effect after its time-out, too. */
const LATE_SECONDS = 30;

/** Returns from when it can be said that a create has made no webhook, in ISO 8601. */
export function noneFrom({ sentAt }: UnresolvedCreate, exported: StackExport): string {
  const milliseconds = (timeoutSecondsOf(exported) + LATE_SECONDS) * 1000;
  // Somebody may have edited the id, which has the time.
  return new Date((Date.parse(sentAt) || 0) + milliseconds).toISOString();
}

/** Reports whether a create may still take effect. */
export function isTooEarly(create: UnresolvedCreate, exported: StackExport): boolean {
  return noneFrom(create, exported) > new Date().toISOString();
}

/** @throws CommandError if one of the creates may still take effect. */
export function requireOldEnough(creates: readonly UnresolvedCreate[], exported: StackExport): void {
  const young = creates.filter((create) => isTooEarly(create, exported));
  if (young.length === 0) return;
  const latest = young
    .map((create) => noneFrom(create, exported))
    .sort()
    .at(-1);
  const names = young.map(({ urn }) => logicalNameOf(urn)).join(", ");
  throw new CommandError(
    `The state was not changed. A create that was sent a moment ago may still take effect. Look again after ${latest}, and answer then: ${names}.`,
  );
}
