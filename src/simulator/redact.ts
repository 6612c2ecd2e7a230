// Deeper than any request of the API, and shallow enough that a hostile body does not exhaust the stack.
const MAX_DEPTH = 50;

// A shorter one is redacted as a whole word only: cut out of other words, it could be read from what is missing.
const MIN_LENGTH_WITHIN_WORDS = 8;

/** A field in JSON, serialized once or more often, that holds a secret; and the beginning of that, if it is a string. */
const SECRET_FIELD = /secret[^"\\]{0,50}\\{0,50}"\s{0,50}:(?:\s{0,50}\\{0,50}"([^"\\]+))?/gi;

/** Also matches `Secret` and `client_secret`: a misspelled field holds the same value. */
const SECRET_NAME = /secret/i;

/** The known secrets of an account. */
export interface Secrets {
  readonly apiKey: string;
  /** The secret of the webhook that a request is about. */
  readonly secret?: string | undefined;
}

/** Redacts the key and secrets within a text: clients have bugs, and logs get shared. */
export type Redact = (text: string) => string;

/** Returns a function that redacts the known secrets, and those in the body of a request. */
export function redactorOf({ apiKey, secret = "" }: Secrets, body?: unknown): Redact {
  const replacements = new Map([[apiKey, "[key]"]]);
  for (const text of [secret, ...secretsIn(body)]) if (text !== "") replacements.set(text, "[secret]");
  // Also as JSON writes them, and longer ones first, because one may contain another.
  const redactions = [...replacements]
    .flatMap(([text, replacement]) =>
      [text, JSON.stringify(text).slice(1, -1)].map((form) => [form, replacement] as const),
    )
    .toSorted(([one], [other]) => other.length - one.length);
  return (text) => {
    // JSON within a string, or cut off.
    if (text.search(SECRET_FIELD) >= 0) return "[secret]";
    return redactions.reduce((rest, [form, replacement]) => {
      if (form.length >= MIN_LENGTH_WITHIN_WORDS) return rest.replaceAll(form, replacement);
      return rest.replaceAll(
        new RegExp(`(?<!\\w)${form.replaceAll(/\W/g, "\\$&")}(?!\\w)`, "g"),
        replacement,
      );
    }, text);
  };
}

/** Redacts a parsed body, whatever its form. */
export function redactBody(body: unknown, redact: Redact, depth = 0): unknown {
  if (depth > MAX_DEPTH) return "[too deep]";
  if (typeof body === "string") return redact(body);
  if (typeof body !== "object" || body === null) return body;
  const redactField = (field: unknown) => redactBody(field, redact, depth + 1);
  if (Array.isArray(body)) return body.map(redactField);
  const fields = Object.entries(body).map(([name, field]) => [
    redact(name),
    SECRET_NAME.test(name) ? "[secret]" : redactField(field),
  ]);
  return Object.fromEntries(fields);
}

function* secretsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") for (const [, text = ""] of value.matchAll(SECRET_FIELD)) yield text;
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    if (SECRET_NAME.test(name) && typeof field === "string") yield field;
    yield* secretsIn(field, depth + 1);
  }
}
