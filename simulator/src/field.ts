import { isDeepStrictEqual } from "node:util";

/** A value that people write: as an option, on the page, or within a fault. Checks and help follow from it. */
export interface Field<Value> {
  /** What its text must be, for messages and help. */
  readonly form: string;
  /** All texts, if they are a list. */
  readonly values?: readonly string[];
  /** The default of an option. */
  readonly initial?: Value | undefined;
  /** Whether it may be missing. */
  readonly isOptional?: boolean;
  /** Parses a text. Returns undefined for a wrong one. */
  parse(text: string): Value | undefined;
  print(value: Value): string;
}

/** The fields of an object. Undefined: something else checks this one. */
export type Fields = { readonly [name: string]: Field<unknown> | undefined };

/** One of several values, the default first. The type of the result has exactly these: the compiler compares them with the interface. */
export function oneOf<const All extends readonly (string | number)[]>(...allowed: All): Field<All[number]> {
  const values = allowed.map(String);
  const parse = (text: string) => allowed.find((one) => String(one) === text);
  return { form: values.join(" | "), values, initial: allowed[0], parse, print: String };
}

/** A boolean, with a word for each value. False may have none. */
export function either(whenTrue: string, whenFalse: string): Field<boolean> {
  const parse = (text: string) => ([whenTrue, whenFalse].includes(text) ? text === whenTrue : undefined);
  const print = (value: boolean) => (value ? whenTrue : whenFalse);
  return { ...oneOf(...[whenTrue, whenFalse].filter(Boolean)), initial: true, parse, print };
}

/** A number that passes a test. */
export function number(form: string, test: (value: number) => boolean): Field<number> {
  const parse = (text: string) => (text.trim() !== "" && test(Number(text)) ? Number(text) : undefined);
  return { form, parse, print: String };
}

/** A text that passes a test, such as that of a regular expression. */
export function text(form: string, pattern: { test(value: string): boolean } = /^/): Field<string> {
  return { form, parse: (value) => (pattern.test(value) ? value : undefined), print: String };
}

/** A field that may be missing: its text is empty then. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  const print = (value: Value | undefined) => (value === undefined ? "" : field.print(value));
  return { ...field, isOptional: true, print };
}

/**
 * Checks each field of an object, and that it has no others. From JavaScript, a misspelled option would be ignored, and a
 * test would pass for the wrong reason.
 * @param prefix what messages write before the name of a field.
 * @throws RangeError that names each wrong field and what is allowed.
 */
export function checkFields(fields: Fields, given: object, prefix = ""): void {
  const values = new Map<string, unknown>(Object.entries(given));
  const names = Object.keys(fields);
  const unknown = [...values.keys()].filter((name) => !names.includes(name));
  const problems = unknown.map(
    (name) => `unknown option ${prefix}${name}; the options are ${names.join(", ")}`,
  );
  for (const [name, field] of Object.entries(fields)) {
    const value = values.get(name);
    if (field === undefined || (value === undefined && field.isOptional)) continue;
    // A value is right if its text means the same.
    if (value === undefined || !isDeepStrictEqual(field.parse(field.print(value)), value))
      problems.push(`${prefix}${name}: expected ${field.form}`);
  }
  if (problems.length > 0) throw new RangeError(problems.join("; "));
}

/** How many, if anything. */
export const COUNT = optional(
  number("a whole number from 0, or Infinity", (value) => value >= 0 && !(value % 1)),
);
