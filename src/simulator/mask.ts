// Deeper than any request of the API, and shallow enough for a hostile one not to exhaust the stack.
const deepest = 50;

/** A text to be covered, and by what. */
export type Needle = readonly [text: string, cover: string];

/** A parsed body without the key and without any secret, whatever its form: clients have bugs, and logs are pasted. */
export function masked(body: unknown, apiKey: string): unknown {
  const secrets = new Set<string>();
  collectSecrets(body, secrets, 0);
  return mask(body, [...[...secrets].map((secret): Needle => [secret, "[secret]"]), [apiKey, "[key]"]], 0);
}

/** Text with each needle covered; longer ones first, or a secret within another one would leave its rest. */
export function covered(text: string, needles: readonly Needle[]): string {
  const longestFirst = needles.toSorted(([one], [other]) => other.length - one.length);
  return longestFirst.reduce((rest, [needle, cover]) => rest.replaceAll(needle, cover), text);
}

function collectSecrets(value: unknown, secrets: Set<string>, depth: number): void {
  if (depth > deepest) return;
  if (typeof value === "string") {
    const inner = jsonWithin(value);
    if (inner !== undefined) collectSecrets(inner, secrets, depth + 1);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      if (isSecret(key) && typeof field === "string" && field !== "") secrets.add(field);
      collectSecrets(field, secrets, depth + 1);
    }
  }
}

function mask(value: unknown, needles: readonly Needle[], depth: number): unknown {
  if (depth > deepest) return "[too deep]";
  if (typeof value === "string") {
    const inner = jsonWithin(value);
    // JSON within a string stays a string, as it came. What only looks like JSON may have been cut off behind a secret.
    if (inner !== undefined) return JSON.stringify(mask(inner, needles, depth + 1));
    return looksLikeJson(value) && isSecret(value) ? "[secret]" : covered(value, needles);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mask(item, needles, depth + 1));
  const fields = Object.entries(value).map(([key, field]) => [
    covered(key, needles),
    isSecret(key) ? "[secret]" : mask(field, needles, depth + 1),
  ]);
  return Object.fromEntries(fields);
}

/** What a body that was serialized twice, or a part of one, holds. */
function jsonWithin(text: string): unknown {
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

/** Also `Secret` and `client_secret`: a misspelt field holds the same value. */
function isSecret(name: string): boolean {
  return /secret/i.test(name);
}
