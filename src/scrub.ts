const QUOTE_LIMIT = 300;

/**
 * Makes a text of the API fit to be shown: without any of the secrets, on one line, and short.
 *
 * A secret is found as it is, as JSON writes it (escaped once or twice, `\/` and `\u00e9` included), URL-encoded,
 * in base64 (also as a part of a longer text, such as `user:secret`), and broken over lines.
 * Where a secret is too short to be told from ordinary text, nothing is quoted.
 */
export function quote(text: string, secrets: readonly string[]): string {
  if (secrets.some((secret) => secret.length < 4)) {
    return "(a text that is not shown, since one of the secrets is too short to be removed from it)";
  }
  const line = secrets
    .reduce((rest, secret) => rest.replace(patternOf(secret), "[secret]"), text)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not be steered by a reply.
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .trim();
  return line.length > QUOTE_LIMIT ? `${line.slice(0, QUOTE_LIMIT)}…` : line;
}

/** What may stand between two characters of a secret that a text has wrapped: line breaks, also as JSON writes them. */
const WRAP = "(?:\\s|\\\\+[nr])*";

function patternOf(secret: string): RegExp {
  const plain = [...secret].map(anyFormOf).join(WRAP);
  const encoded = base64Forms(secret).map((form) => [...form].map(anyFormOf).join(WRAP));
  return new RegExp([plain, ...encoded].join("|"), "gi");
}

/** One character as a text may write it: itself, behind backslashes, as `\u00e9`, or as `%C3%A9`. */
function anyFormOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const unicode = units.map((unit) => `\\\\+u${unit.toString(16).padStart(4, "0")}`).join("");
  const percent = [...Buffer.from(character)]
    .map((byte) => `%(?:25)*${byte.toString(16).padStart(2, "0")}`)
    .join("");
  const literal = character.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const space = character === " " ? "|\\+" : "";
  return `(?:\\\\*${literal}|${unicode}|${percent}${space})`;
}

/** The base64 of a secret at each of the three offsets it can have in a longer text, without the characters its neighbours share. */
function base64Forms(secret: string): string[] {
  const forms = [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const shared = bytes.length % 3 === 0 ? 0 : 1;
    const text = bytes.toString("base64").replace(/=+$/, "");
    return text.slice(offset === 0 ? 0 : offset + 1, text.length - shared);
  });
  return [...new Set(forms.flatMap((form) => [form, form.replace(/\+/g, "-").replace(/\//g, "_")]))];
}
