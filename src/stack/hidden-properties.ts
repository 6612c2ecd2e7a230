import type { NotePlace } from "../notes/notes.js";
import type { Past } from "./past.js";

// Inputs and outputs of a webhook that the package itself adds. Pulumi shows none whose name begins with two underscores.

/**
 * What the program says of a resource. Check replaces it by the resource's key alone, which is recorded with the inputs.
 *
 * The engine passes a dynamic provider no URN, so the program does. The stored text could carry the key instead, in inputs
 * and outputs. But the SDK configures a provider per text, and records of earlier versions would keep a text without it.
 */
export const KEY = "__key";

/** What the program, or the plugin, says of a resource to check. */
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
  notePlace?: NotePlace;
  /** What the state says of the resource. */
  past: Past;
  /** How many webhooks of the Provider have an id that no update has confirmed. Default: none. */
  unconfirmed?: number;
  /** Why no webhook of the stack may be changed. Undefined if nothing is unresolved, or if this is a preview. */
  gate?: string;
  /** The URN of another resource of the Provider that has the webhook which the option `import` names. */
  holder?: string;
}

/** The value of KEY, as the program passes it: the JSON of a Declared, and beside it what a preview may not know yet. */
export type Passed<Holder> = string | { text: string; holder: Holder };

/**
 * Writes the value of KEY for the program: as one text, since the SDK and the engine take time for each property of an object.
 *
 * @param holder a preview may not know it yet, so it is no part of the text. Default: none.
 */
export function writeDeclared<Holder>(declared: Declared, holder?: Holder): Passed<Holder> {
  const text = JSON.stringify(declared);
  return holder === undefined ? text : { text, holder };
}

/**
 * Reads the value of KEY.
 *
 * @returns undefined for a recorded key, which the engine copies with `ignoreChanges`: it may be that of an earlier name.
 */
export function readDeclared(passed: unknown): Declared | undefined {
  const { text, holder }: { text?: unknown; holder?: unknown } =
    typeof passed === "string" ? { text: passed } : Object(passed);
  if (typeof text !== "string" || !text.startsWith("{")) return undefined;
  const declared: Declared = JSON.parse(text);
  // In a preview it may be the text that stands for an unknown value.
  return typeof holder === "string" && holder.startsWith("urn:") ? { ...declared, holder } : declared;
}

/** The option `replaceOnChanges`, which diff follows: the SDK does not report to the engine what changed. */
export const REPLACE_ON_CHANGES = "__replaceOnChanges";

/** The secret of the arguments. Check compares it with the secret that arrives, and removes it. */
export const DECLARED_SECRET = "__declaredSecret";

/** Set if the program made the name a secret: messages do not show it then. It is recorded, with the outputs too. */
export const SECRET_NAME = "__secretName";

/** Set if the program made the URL a secret: the record of a failed update keeps it one. It is recorded, with the outputs too. */
export const SECRET_URL = "__secretUrl";

/**
 * The fields that the probe of a refresh found changed, among its outputs. The engine's events show no secret values, so
 * this mark alone shows that a secret name or enabled differs. Every read drops the mark of an earlier one.
 */
export const DRIFTED_FIELDS = "__driftedFields";
