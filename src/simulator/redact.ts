// Deeper than any request of the API, and shallow enough that a hostile body does not exhaust the stack.
const MAX_DEPTH = 50;

// A shorter one is redacted as a whole word only: cut out of other words, it could be read from what is missing.
const MIN_LENGTH_WITHIN_WORDS = 8;

/** A field in JSON, serialized once or more often, that holds a secret; and the beginning of that, if it is a string. */
const SECRET_FIELD = /secret[^"\\]{0,50}\\{0,50}"\s{0,50}:(?:\s{0,50}\\{0,50}"([^"\\]+))?/gi;

/** A text to redact, and its replacement. */
type Redaction = readonly [text: string, replacement: string];

/** The known secrets of an account. */
export interface Secrets {
  readonly apiKey: string;
  /** The secret of the webhook that a request is about. */
  readonly secret?: string | undefined;
}

/** Redacts the key and every secret in a parsed body, whatever its form: clients have bugs, and logs get shared. */
export function redactBody(body: unknown, known: Secrets): unknown {
  return redactValue(body, redactions(body, known), 0);
}

/** Redacts the key and every secret, also those of the request, in the body of a reply. */
export function redactReply(reply: string, { request, ...known }: Secrets & { request: unknown }): string {
  return redactText(reply, redactions(request, known));
}

/** Redacts the key and a secret within a text. */
export function redactKnown(text: string, known: Secrets): string {
  return redactText(text, redactions(undefined, known));
}

/** Redacts texts within a text; longer ones first, because one may contain another. */
function redactText(text: string, redactions: readonly Redaction[]): string {
  // JSON within a string, or cut off.
  if (text.search(SECRET_FIELD) >= 0) return "[secret]";
  const longestFirst = redactions.toSorted(([one], [other]) => other.length - one.length);
  return longestFirst.reduce((rest, [secret, replacement]) => {
    if (secret.length >= MIN_LENGTH_WITHIN_WORDS) return rest.replaceAll(secret, replacement);
    const word = new RegExp(`(?<!\\w)${secret.replaceAll(/\W/g, "\\$&")}(?!\\w)`, "g");
    return rest.replaceAll(word, replacement);
  }, text);
}

/** Returns what to redact, also as JSON writes it. */
function redactions(body: unknown, { apiKey, secret }: Secrets): Redaction[] {
  const secrets = new Set(secret ? [secret] : []);
  collectSecrets(body, secrets, 0);
  const known: Redaction[] = [
    ...[...secrets].map((text): Redaction => [text, "[secret]"]),
    [apiKey, "[key]"],
  ];
  return known.flatMap(([text, replacement]): Redaction[] => [
    [text, replacement],
    [JSON.stringify(text).slice(1, -1), replacement],
  ]);
}

function collectSecrets(value: unknown, secrets: Set<string>, depth: number): void {
  if (typeof value === "string")
    for (const [, text] of value.matchAll(SECRET_FIELD)) if (text) secrets.add(text);
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return;
  for (const [key, field] of Object.entries(value)) {
    if (isSecret(key) && typeof field === "string" && field !== "") secrets.add(field);
    collectSecrets(field, secrets, depth + 1);
  }
}

function redactValue(value: unknown, redactions: readonly Redaction[], depth: number): unknown {
  if (depth > MAX_DEPTH) return "[too deep]";
  if (typeof value === "string") return redactText(value, redactions);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redactions, depth + 1));
  const fields = Object.entries(value).map(([key, field]) => [
    redactText(key, redactions),
    isSecret(key) ? "[secret]" : redactValue(field, redactions, depth + 1),
  ]);
  return Object.fromEntries(fields);
}

/** Also matches `Secret` and `client_secret`: a misspelled field holds the same value. */
function isSecret(name: string): boolean {
  return /secret/i.test(name);
}
