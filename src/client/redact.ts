import { unescapeText } from "./unescape.js";

const MAX_QUOTE_CHARACTERS = 300;
/** The rest of a text is not read: redaction costs time and memory, and only a short quote is shown. */
const MAX_READ_CHARACTERS = 8 * 1024;
/** Longer than any one escape. */
const MAX_ESCAPE_CHARACTERS = 32;
/** A shorter text occurs in many others. */
const MIN_CHARACTERS = 4;
/** A shorter part of a secret occurs in many words. */
const MIN_PART_CHARACTERS = 8;

/** A text that must not be shown; of a webhook's URL, scheme and host are shown. */
export type Secret = string | { url: string };

/**
 * Prepares a text of the API for display: without the secrets, on one line, and short.
 *
 * A secret is found as it is, as JSON, HTML, URLs and forms write it (also one within the other), in base64 (also as a
 * part of a longer text, such as `user:secret`), in hex, in upper and lower case, in both Unicode normal forms, and broken
 * over lines. So is a beginning or an end of it that gives much away. If a secret is too short to be distinguished from
 * ordinary text, nothing is quoted.
 */
export function redact(text: string, secrets: readonly Secret[]): string {
  const needles = secrets.flatMap((secret) => (typeof secret === "string" ? [secret] : tokensOf(secret.url)));
  const forms = needles.flatMap((needle) => [
    ...spellings(needle),
    ...base64Forms(needle),
    ...hexForms(needle),
  ]);
  const hidden = [...forms.map(toNeedle), ...secrets.flatMap(toPathNeedles)];
  if (hidden.some(({ plain }) => plain.length < MIN_CHARACTERS)) {
    return "(text not shown: one of the secrets is too short to be removed from it)";
  }
  const isCut = text.length > MAX_READ_CHARACTERS;
  const line = removeAll(text.slice(0, MAX_READ_CHARACTERS), hidden, isCut)
    // A reply must not steer a terminal either, or reverse the order of what is read.
    .replace(/[\s\p{C}\u2028\u2029]+/gu, " ")
    .trim();
  const characters = [...line];
  if (characters.length <= MAX_QUOTE_CHARACTERS && !isCut) return line;
  return `${characters.slice(0, MAX_QUOTE_CHARACTERS).join("")}…`;
}

/** What is looked for in a decoded text: at least so many of its first characters, or of its last. */
interface Needle {
  plain: string;
  minLength: number;
  /** Of a URL's path no end is looked for: it may be a word of the message. */
  isPath?: true;
}

/** Half of a short secret gives it away, as 8 characters of a longer one may. */
function toNeedle(form: string): Needle {
  const { plain } = unescapeText(form);
  const half = Math.ceil(plain.length / 2);
  return { plain, minLength: Math.max(MIN_CHARACTERS, Math.min(MIN_PART_CHARACTERS, half)) };
}

/** Finds the parts of a URL that may be tokens: no words, such as `hooks` or `order-created`. */
function tokensOf(url: string): string[] {
  const { path, query, fragment } = partsOf(url);
  const values = new URLSearchParams(query).values();
  return [...path.split("/"), ...values, fragment.slice(1)].filter(
    (part) => part.length >= 8 && (part.length >= 20 || !/^[a-z_.-]+$/i.test(part)),
  );
}

/** The path with what follows it, and the query alone. A prefix of the path may be a route of the API. */
function toPathNeedles(secret: Secret): Needle[] {
  if (typeof secret === "string") return [];
  const { path, query, fragment } = partsOf(secret.url);
  const [plainPath, whole, plainQuery] = [path, path + query + fragment, query].map(
    (part) => unescapeText(part).plain,
  );
  const needles = [
    { plain: whole, minLength: path.length > 1 ? plainPath?.length : whole?.length },
    { plain: plainQuery, minLength: plainQuery?.length },
  ];
  return needles.flatMap(({ plain = "", minLength = 0 }) =>
    minLength < MIN_CHARACTERS ? [] : { plain, minLength, isPath: true as const },
  );
}

/** Splits what follows the host. The URL is not normalized: the API may quote what was sent. */
function partsOf(url: string): { path: string; query: string; fragment: string } {
  const parts = /^[a-z][a-z\d+.-]*:\/*[^/?#]*([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(url);
  const [, path = "", query = "", fragment = ""] = parts ?? [];
  return { path, query, fragment };
}

/**
 * Removes all needles, in whatever form the text writes them, in time linear to the text. The end of a cut text goes too:
 * a needle may begin there.
 */
function removeAll(text: string, needles: readonly Needle[], isCut: boolean): string {
  const found: { from: number; to: number }[] = [];
  const margin = Math.max(0, ...needles.map(({ plain }) => plain.length)) + MAX_ESCAPE_CHARACTERS;
  let until = text.length;
  // A backslash before an n is a line break, or it precedes a secret that begins with n: both are tried.
  for (const breaks of [true, false]) {
    const { plain, begins, ends } = unescapeText(text, { breaks });
    if (isCut) until = Math.min(until, begins[plain.length - margin] ?? 0);
    for (const needle of needles) {
      for (const { start, length } of findIn(plain, needle)) {
        const from = begins[start] ?? 0;
        const to = ends[start + length - 1] ?? text.length;
        const isLong = needle.isPath || length >= Math.min(MIN_PART_CHARACTERS, needle.plain.length);
        if (isLong || isWord(text, from, to)) found.push({ from, to });
      }
    }
  }
  let shown = "";
  let end = -1;
  for (const { from, to } of found.sort((a, b) => a.from - b.from)) {
    if (from >= until) break;
    if (from > end) shown += `${text.slice(Math.max(0, end), from)}[secret]`;
    end = Math.max(end, to);
  }
  return shown + text.slice(Math.max(0, end), Math.max(end, until));
}

/** Finds a needle, its beginnings and its ends in a decoded text. */
function* findIn(
  text: string,
  { plain, minLength, isPath }: Needle,
): Iterable<{ start: number; length: number }> {
  const head = plain.slice(0, minLength);
  for (let start = text.indexOf(head); start >= 0; start = text.indexOf(head, start + 1)) {
    let length = minLength;
    while (length < plain.length && text[start + length] === plain[length]) length++;
    yield { start, length };
  }
  if (isPath) return;
  const tail = plain.slice(-minLength);
  for (let at = text.indexOf(tail); at >= 0; at = text.indexOf(tail, at + 1)) {
    const end = at + minLength;
    let length = minLength;
    while (length < Math.min(plain.length, end) && text[end - length - 1] === plain.at(-length - 1)) length++;
    yield { start: end - length, length };
  }
}

/** Reports whether a part of a text stands alone: `test` is a part of the secret `test-key`, and no part of `latest`. */
function isWord(text: string, from: number, to: number): boolean {
  return !/[a-z\d]/i.test(`${text[from - 1] ?? ""}${text[to] ?? ""}`);
}

/** Spells a secret in upper and lower case, in both Unicode normal forms. */
function spellings(secret: string): string[] {
  const cases = [secret, secret.toLowerCase(), secret.toUpperCase()];
  return [...new Set(cases.flatMap((text) => [text, text.normalize("NFC"), text.normalize("NFD")]))];
}

/** Writes a secret in hex. */
function hexForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString("hex");
  return [hex, hex.toUpperCase()];
}

/** Computes the base64 of a secret at each of its three offsets in a longer text, without what its neighbors change. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const text = bytes.toString("base64").replace(/=+$/, "");
    const form = text.slice(offset === 0 ? 0 : offset + 1, bytes.length % 3 === 0 ? undefined : -1);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
