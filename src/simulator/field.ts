/** A value that people write: as an option, on the page, or within a fault. Checks and help follow from it. */
export interface Field<Value> {
  /** What its text must be, for messages and help. */
  readonly form: string;
  /** All texts, if they are a list. */
  readonly values?: readonly string[];
  /** The default of an option. */
  readonly initial?: Value | undefined;
  readonly isValid: (value: unknown) => value is Value;
  /** Parses a text. The result of a wrong one is not valid, and not undefined. */
  readonly parse: (text: string) => unknown;
  readonly print: (value: Value) => string;
}

/** One of several values, the default first. The type of the result has exactly these: the compiler compares them with the interface. */
export function oneOf<const All extends readonly (string | number)[]>(...allowed: All): Field<All[number]> {
  const values = allowed.map(String);
  return {
    form: values.join(" | "),
    values,
    initial: allowed[0],
    isValid: (value): value is All[number] => allowed.some((one) => one === value),
    parse: (text) => allowed.find((one) => String(one) === text) ?? text,
    print: String,
  };
}

/** A boolean, with a word for each value. False may have none. */
export function either(whenTrue: string, whenFalse: string): Field<boolean> {
  const words = oneOf(...[whenTrue, whenFalse].filter((word) => word !== ""));
  return {
    ...words,
    initial: true,
    isValid: (value) => typeof value === "boolean",
    parse: (text) => (words.isValid(text) ? text === whenTrue : text),
    print: (value) => (value ? whenTrue : whenFalse),
  };
}

/** A number that passes a test. */
export function number(form: string, test: (value: number) => boolean): Field<number> {
  const isValid = (value: unknown): value is number => typeof value === "number" && test(value);
  return { form, isValid, parse: (text) => (text.trim() === "" ? text : Number(text)), print: String };
}

/** A text that passes a test, such as that of a regular expression. */
export function text(form: string, pattern: { test(value: string): boolean } = /^/): Field<string> {
  const isValid = (value: unknown): value is string => typeof value === "string" && pattern.test(value);
  return { form, isValid, parse: (value) => value, print: String };
}

/** A field that may be missing. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  const isValid = (value: unknown): value is Value | undefined => value === undefined || field.isValid(value);
  return { ...field, isValid, print: (value) => (value === undefined ? "" : field.print(value)) };
}

/**
 * Checks each field of an object, and that it has no others. From JavaScript, a misspelled option would be ignored, and a
 * test would pass for the wrong reason.
 * @param prefix what messages write before the name of a field.
 * @throws RangeError that names each wrong value and what is allowed.
 */
export function checkFields(fields: Checks, given: object, prefix = ""): void {
  const values = new Map<string, unknown>(Object.entries(given));
  const unknown = [...values.keys()].filter((name) => !Object.hasOwn(fields, name));
  const wrong = Object.entries(fields).filter(([name, { isValid }]) => !isValid(values.get(name)));
  const options = Object.keys(fields).join(", ");
  const problems = [
    ...unknown.map((name) => `unknown option ${prefix}${name}; the options are ${options}`),
    ...wrong.map(([name, { form }]) => `${prefix}${name}: expected ${form}`),
  ];
  if (problems.length > 0) throw new RangeError(problems.join("; "));
}

/** What a check needs of the fields of an object. */
export type Checks = { readonly [name: string]: { form: string; isValid(value: unknown): boolean } };

/** How many, if anything. */
export const COUNT = optional(
  number("a whole number from 0, or Infinity", (value) => value >= 0 && !(value % 1)),
);
