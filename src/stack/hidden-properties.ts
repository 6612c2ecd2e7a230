import type { CreateNote } from "../journal/journal.js";
import type { Past } from "./past.js";

// Inputs and outputs of a webhook that the package itself adds. Pulumi shows none whose name begins with two underscores.

/**
 * What the program says of a resource. Check replaces it by the resource's key alone, which is recorded with the inputs.
 *
 * The engine passes a dynamic provider no URN, so the program does. The stored text could carry the key instead, in inputs
 * and outputs. But the SDK configures a provider per text, and records of earlier versions would keep a text without it.
 */
export const KEY = "__key";

/** The value of KEY, as check receives it. */
export interface Declared {
  /** A short hash of the resource's URN. */
  key: string;
  /** The names of the arguments that the program sets. One that has no value then is an error. */
  given: string[];
  /** The name if the program sets none. The program of the dynamic provider sets one itself. */
  defaultName?: string;
  /** What the option `ignoreChanges` names of url, name, enabled and secret, if anything. */
  ignored?: string[];
  /** Where a create of the resource is noted. Default: nowhere. */
  note?: CreateNote;
  /** What the state says of the resource. Undefined if the state could not be read. */
  past?: Past;
}

/** The value of KEY, as the program passes it: the JSON of a Declared, and beside it what a preview may not know yet. */
export type Passed<Others> = string | { text: string; others: Others };

/**
 * Writes the value of KEY for the program: as one text, since the SDK and the engine take time for each property of an object.
 *
 * @param others what of `past` is about other resources. A preview may not know it yet, so it is no part of the text.
 */
export function writeDeclared<Others extends object>(declared: Declared, others: Others): Passed<Others> {
  const text = JSON.stringify(declared);
  return Object.keys(others).length === 0 ? text : { text, others };
}

/**
 * Reads the value of KEY.
 *
 * @returns undefined for a recorded key, which the engine copies with `ignoreChanges`: it may be that of an earlier name.
 */
export function readDeclared(passed: unknown): Declared | undefined {
  const { text, others }: { text?: unknown; others?: object } =
    typeof passed === "string" ? { text: passed } : Object(passed);
  if (typeof text !== "string" || !text.startsWith("{")) return undefined;
  const declared: Declared = JSON.parse(text);
  return others === undefined ? declared : { ...declared, past: { ...declared.past, ...others } };
}

/** The option `replaceOnChanges`, which diff follows: the SDK does not report to the engine what changed. */
export const REPLACE_ON_CHANGES = "__replaceOnChanges";

/** The secret of the arguments. Check compares it with the secret that arrives, and removes it. */
export const DECLARED_SECRET = "__declaredSecret";

/** Set if the program made the name a secret: messages do not show it then. It is recorded, with the outputs too. */
export const SECRET_NAME = "__secretName";

/** Set if the program made the URL a secret: the record of a failed update keeps it one. It is recorded, with the outputs too. */
export const SECRET_URL = "__secretUrl";

/** The mark of a create that sent nothing, in pending operations that earlier versions left. */
export const INTERRUPTED = "__interrupted";

/**
 * The fields that the probe of a refresh found changed, among its outputs. The engine's events show no secret values, so
 * this mark alone shows that a secret name or enabled differs. Every read drops the mark of an earlier one.
 */
export const DRIFTED_FIELDS = "__driftedFields";
