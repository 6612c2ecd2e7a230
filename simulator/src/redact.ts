// A shorter one is redacted as a whole word only: cut out of other words, it could be read from what is missing.
const MIN_LENGTH_WITHIN_WORDS = 8;

/** The fields of the API. The value of another one may be a misspelled secret. */
const FIELDS = ["webhook_id", "url", "name", "secret", "enabled"];

/** Redacts the key and secrets within a text: clients have bugs, and logs get shared. */
export type Redact = (text: string) => string;

/** Returns a function that redacts the key of an account, and those secrets that are texts. */
export function redactorOf(apiKey: string, ...secrets: readonly unknown[]): Redact {
  const replacements = new Map([[apiKey, "[key]"]]);
  for (const secret of secrets)
    if (typeof secret === "string" && secret !== "") replacements.set(secret, "[secret]");
  // Also as JSON and URLs write them, and longer ones first, because one may contain another.
  const formsOf = (text: string) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  const redactions = [...replacements]
    .flatMap(([text, replacement]) =>
      formsOf(text.toWellFormed()).map((form) => [form, replacement] as const),
    )
    .toSorted(([one], [other]) => other.length - one.length);
  return (text) =>
    redactions.reduce((rest, [form, replacement]) => {
      const word = new RegExp(`(?<!\\w)${form.replaceAll(/\W/g, "\\$&")}(?!\\w)`, "g");
      return rest.replaceAll(form.length >= MIN_LENGTH_WITHIN_WORDS ? form : word, replacement);
    }, text);
}

/** Shows a parsed body: the fields of the API, and how many others it has. */
export function showBody(body: unknown, redact: Redact): unknown {
  if (body === undefined) return undefined;
  if (typeof body !== "object" || body === null || Array.isArray(body)) return "[not shown]";
  const show = (name: string, value: unknown) => {
    if (name === "secret") return "[secret]";
    if (typeof value === "string") return redact(value);
    return typeof value === "object" ? "[not shown]" : value;
  };
  const fields = Object.entries(body);
  const shown = fields.filter(([name]) => FIELDS.includes(name));
  const others = fields.length - shown.length;
  return {
    ...Object.fromEntries(shown.map(([name, value]) => [name, show(name, value)])),
    ...(others > 0 && { "[other fields]": others }),
  };
}
