const MAX_QUOTE_CHARACTERS = 300;
/** The rest of a text is not read: redaction costs time and memory, and only a short quote is shown. */
const MAX_READ_CHARACTERS = 8 * 1024;
/** Longer than any one escape. */
const MAX_ESCAPE_CHARACTERS = 32;

/**
 * Prepares a text of the API for display: without the secrets, on one line, and short.
 *
 * A secret is found as it is, as JSON writes it (escaped once or twice, `\/` and `\u00e9` included), URL-encoded,
 * in base64 (also as a part of a longer text, such as `user:secret`), and broken over lines. If a secret is too short to
 * be distinguished from ordinary text, nothing is quoted.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const needles = secrets
    .flatMap((secret) => [secret, ...base64Forms(secret)])
    .map((form) => decode(form).plain);
  if (needles.some((needle) => needle.length < 4)) {
    return "(text not shown: one of the secrets is too short to be removed from it)";
  }
  const isCut = text.length > MAX_READ_CHARACTERS;
  const line = removeAll(text.slice(0, MAX_READ_CHARACTERS), needles, isCut)
    // A reply must not steer a terminal either, or reverse the order of what is read.
    .replace(/[\s\p{C}\u2028\u2029]+/gu, " ")
    .trim();
  return line.length <= MAX_QUOTE_CHARACTERS && !isCut ? line : `${line.slice(0, MAX_QUOTE_CHARACTERS)}…`;
}

/**
 * Removes all needles, in whatever form the text writes them, in time linear to the text. The end of a cut text goes too:
 * a needle may begin there.
 */
function removeAll(text: string, needles: readonly string[], isCut: boolean): string {
  const found: { from: number; to: number }[] = [];
  const margin = Math.max(...needles.map((needle) => needle.length)) + MAX_ESCAPE_CHARACTERS;
  let until = text.length;
  // A backslash before an n is a line break, or it precedes a secret that begins with n: both are tried.
  for (const breaks of [true, false]) {
    const { plain, begins, ends } = decode(text, breaks);
    if (isCut) until = Math.min(until, begins[plain.length - margin] ?? 0);
    for (const needle of needles) {
      for (let start = plain.indexOf(needle); start >= 0; start = plain.indexOf(needle, start + 1)) {
        found.push({ from: begins[start] ?? 0, to: ends[start + needle.length - 1] ?? text.length });
      }
    }
  }
  let shown = "";
  let end = 0;
  for (const { from, to } of found.sort((a, b) => a.from - b.from)) {
    if (from >= until) break;
    if (from >= end) shown += `${text.slice(end, from)}[secret]`;
    end = Math.max(end, to);
  }
  return shown + text.slice(end, Math.max(end, until));
}

const PAIR = String.raw`\\{1,8}u(d[89ab][\da-f]{2})\\{1,8}u(d[c-f][\da-f]{2})`;
const UNIT = String.raw`\\{1,8}u([\da-f]{4})`;
const BYTE = "%(?:25){0,4}([0-9a-f]{2})";
const BREAK = String.raw`\\{1,8}[nrt]`;

/** A decoded text, one character per UTF-8 byte, and where in the source each of them begins and ends. */
interface Decoded {
  plain: string;
  begins: number[];
  ends: number[];
}

/** Undoes the escapes of JSON, URLs and forms, and line breaks. Backslashes, white space and plus signs are left out. */
function decode(text: string, breaks = false): Decoded {
  const token = new RegExp(`${PAIR}|${UNIT}|${BYTE}|${breaks ? `${BREAK}|` : ""}[\\s\\S]`, "giu");
  const result: Decoded = { plain: "", begins: [], ends: [] };
  for (const match of text.matchAll(token)) {
    const [whole, high, low, unit, byte] = match;
    let bytes = "";
    if (byte !== undefined) bytes = String.fromCharCode(Number.parseInt(byte, 16));
    else if (high !== undefined && low !== undefined) bytes = bytesOf(charOf(high) + charOf(low));
    else if (unit !== undefined) bytes = bytesOf(charOf(unit));
    else if (whole.length <= 2 && !whole.startsWith("\\")) bytes = bytesOf(whole);
    for (const character of bytes.replace(/[\\\s+]/g, "")) {
      result.plain += character;
      result.begins.push(match.index);
      result.ends.push(match.index + whole.length);
    }
  }
  return result;
}

const charOf = (hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
const bytesOf = (text: string) => Buffer.from(text).toString("latin1");

/** Computes the base64 of a secret at each of its three offsets in a longer text, without what its neighbors change. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const text = bytes.toString("base64").replace(/=+$/, "");
    const form = text.slice(offset === 0 ? 0 : offset + 1, bytes.length % 3 === 0 ? undefined : -1);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
