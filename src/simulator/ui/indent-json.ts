// Deeper than any reply of the API. Without a limit, a reply of nothing but brackets would grow a thousandfold.
const MAX_DEPTH = 20;

// An empty object or array; a string, which may be cut off; a sign; or anything else, without the spaces around it.
const TOKEN = /[{[]\s*[}\]]|"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * Indents JSON, also if its end is missing, and returns any other text as it is. It does not parse: that would lose
 * digits of long numbers.
 */
export function indentJson(text: string): string {
  if (!/^\s*[{[]\s*["{[]/.test(text)) return text;
  let depth = 0;
  const newLine = (change: number): string => {
    depth += change;
    return `\n${"  ".repeat(Math.max(0, Math.min(depth, MAX_DEPTH)))}`;
  };
  const pieces = [...text.matchAll(TOKEN)].map(([token]) => {
    if (token === "{" || token === "[") return token + newLine(1);
    if (token === "}" || token === "]") return newLine(-1) + token;
    if (token === ",") return token + newLine(0);
    return token === ":" ? ": " : token;
  });
  return pieces.join("");
}
