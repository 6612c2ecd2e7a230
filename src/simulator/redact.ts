// Deeper than any request of the API, and shallow enough that a hostile body does not exhaust the stack.
const MAX_DEPTH = 50;

/** A text to redact, and its replacement. */
export type Redaction = readonly [text: string, replacement: string];

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
  const secrets = redactions([request, reply], known);
  const parsed = redactValue(reply, secrets, 0);
  // Parsing loses digits of long numbers: the text itself is better, unless parsing found more to redact.
  const text = redactText(reply, secrets);
  const inner = parseInnerJson(text);
  return parsed === (inner === undefined ? text : JSON.stringify(inner)) ? text : String(parsed);
}

/** Redacts texts within a text; longer ones first, because one may contain another. */
export function redactText(text: string, redactions: readonly Redaction[]): string {
  const longestFirst = redactions.toSorted(([one], [other]) => other.length - one.length);
  return longestFirst.reduce((rest, [secret, replacement]) => rest.replaceAll(secret, replacement), text);
}

function redactions(body: unknown, { apiKey, secret }: Secrets): Redaction[] {
  const secrets = new Set(secret ? [secret] : []);
  collectSecrets(body, secrets, 0);
  return [...[...secrets].map((secret): Redaction => [secret, "[secret]"]), [apiKey, "[key]"]];
}

function collectSecrets(value: unknown, secrets: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === "string") {
    const inner = parseInnerJson(value);
    if (inner !== undefined) collectSecrets(inner, secrets, depth + 1);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      if (isSecret(key) && typeof field === "string" && field !== "") secrets.add(field);
      collectSecrets(field, secrets, depth + 1);
    }
  }
}

function redactValue(value: unknown, redactions: readonly Redaction[], depth: number): unknown {
  if (depth > MAX_DEPTH) return "[too deep]";
  if (typeof value === "string") {
    const inner = parseInnerJson(value);
    // JSON within a string stays a string. A text that only looks like JSON may have been cut off behind a secret.
    if (inner !== undefined) return JSON.stringify(redactValue(inner, redactions, depth + 1));
    return looksLikeJson(value) && isSecret(value) ? "[secret]" : redactText(value, redactions);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redactions, depth + 1));
  const fields = Object.entries(value).map(([key, field]) => [
    redactText(key, redactions),
    isSecret(key) ? "[secret]" : redactValue(field, redactions, depth + 1),
  ]);
  return Object.fromEntries(fields);
}

/** Parses JSON within a string: a body, or a part of it, may have been serialized twice. */
function parseInnerJson(text: string): unknown {
  if (!looksLikeJson(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function looksLikeJson(text: string): boolean {
  return /^\s*[{["]/.test(text);
}

/** Also matches `Secret` and `client_secret`: a misspelled field holds the same value. */
function isSecret(name: string): boolean {
  return /secret/i.test(name);
}
