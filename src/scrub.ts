const QUOTE_LIMIT = 300;
/** What comes later in a text is not read: scrubbing takes time and memory, and so little is shown. */
const READ_LIMIT = 8 * 1024;
/** More than any one escape has characters. */
const ESCAPE_LENGTH = 32;

/**
 * Makes a text of the API fit to be shown: without any of the secrets, on one line, and short.
 *
 * A secret is found as it is, as JSON writes it (escaped once or twice, `\/` and `\u00e9` included), URL-encoded,
 * in base64 (also as a part of a longer text, such as `user:secret`), and broken over lines. Where a secret is too
 * short to be told from ordinary text, nothing is quoted.
 */
export function quote(text: string, secrets: readonly string[]): string {
  const needles = secrets
    .flatMap((secret) => [secret, ...base64Forms(secret)])
    .map((form) => plainOf(form).plain);
  if (needles.some((needle) => needle.length < 4)) {
    return "(a text that is not shown, since one of the secrets is too short to be removed from it)";
  }
  const line = without(text.slice(0, READ_LIMIT), needles, text.length > READ_LIMIT)
    // Nor may a reply steer a terminal, or turn the order of what is read around.
    .replace(/[\s\p{C}\u2028\u2029]+/gu, " ")
    .trim();
  const whole = line.length <= QUOTE_LIMIT && text.length <= READ_LIMIT;
  return whole ? line : `${line.slice(0, QUOTE_LIMIT)}…`;
}

/**
 * Removes every occurrence of the needles, whatever way the text writes them, in time linear to the text. Of a text that
 * was cut, the end is left out too: there a needle may have begun.
 */
function without(text: string, needles: readonly string[], isCut: boolean): string {
  const found: { from: number; to: number }[] = [];
  const margin = Math.max(...needles.map((needle) => needle.length)) + ESCAPE_LENGTH;
  let until = text.length;
  // A backslash before an n is a line break, or it is in front of a secret that begins with n: both are looked at.
  for (const breaks of [true, false]) {
    const { plain, begins, ends } = plainOf(text, breaks);
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

/** What a text says, a character for each byte in UTF-8, and where in the text each of them begins and ends. */
interface Plain {
  plain: string;
  begins: number[];
  ends: number[];
}

/** Undoes what JSON, URLs, forms and line breaks do to a text. Backslashes, white space and plus signs are left out. */
function plainOf(text: string, breaks = false): Plain {
  const token = new RegExp(`${PAIR}|${UNIT}|${BYTE}|${breaks ? `${BREAK}|` : ""}[\\s\\S]`, "giu");
  const result: Plain = { plain: "", begins: [], ends: [] };
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

/** The base64 of a secret at each of the three offsets it can have in a longer text, without what its neighbours change. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const text = bytes.toString("base64").replace(/=+$/, "");
    const form = text.slice(offset === 0 ? 0 : offset + 1, bytes.length % 3 === 0 ? undefined : -1);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
