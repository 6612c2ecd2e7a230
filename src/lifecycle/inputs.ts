import { z } from "zod";
import { INPUTS, isInput, type NameOf, REQUIRED, SECRET_FIELDS } from "../record/fields.js";
import { mayBeId } from "../record/in-doubt-id.js";
import { UNKNOWN } from "../record/special-values.js";
import { hasHiddenCharacters, parseHttpUrl } from "../settings/http-url.js";
import { hasControl } from "../wording/unprintable.js";
import type { Properties, Received } from "./values.js";

// The API docs name no limits ("Constraints on name, url and secret … not shown"), so only what is never intended is refused.

/** What Pulumi's SDKs put in the place of an Output that is used as a text, as it is or encoded in a URL. */
const OUTPUT = /Calling.{1,6}to(?:String|JSON).{1,6}on.{1,3}an.{1,6}Output|Calling __\w+__ on an Output\[T\]/;

const MASK = /^(?:\*{3,}|•{3,}|[[(<](?:secret|redacted|hidden|masked)[\])>]|redacted)$/i;

/** Reports whether a secret in a reply is not all of it: an API puts signs, one repeated character, or a word that says so in its place. */
export const isHiddenSecret = (text: string) =>
  /[*•·]{2}|…|\.{3}|x{4}|^(.)\1*$|hidden|masked|omitted|redacted|<.*>/i.test(text);

const NEVER_INTENDED: [isSo: (text: string) => boolean, error: string][] = [
  [(text) => text.trim() === "", "must not be empty"],
  [(text) => OUTPUT.test(text), "is an Output: use pulumi.interpolate or apply"],
  [(text) => MASK.test(text), "is a mask, not the value: set the value itself"],
  [
    hasControl,
    "must not contain line breaks or other control characters; a value read from a file often ends in one",
  ],
];

const text = (missing: string) =>
  z
    .string({
      error: ({ input }) => {
        if (input === undefined) return missing;
        return typeof input === "number" ? "must be a string: put the number in quotes" : "must be a string";
      },
    })
    .superRefine((value, context) => {
      const [, error] = NEVER_INTENDED.find(([isSo]) => isSo(value)) ?? [];
      if (error !== undefined) context.addIssue({ code: "custom", message: error, continue: false });
    });

const url = text("is missing: the URL that receives the notifications").superRefine((value, context) => {
  const parsed = parseHttpUrl(value);
  if (hasHiddenCharacters(value)) {
    context.addIssue("must not contain spaces or invisible characters: encode them, as in %20");
  } else if (parsed === undefined) {
    context.addIssue("must be an absolute http or https URL, such as https://example.com/hooks");
  }
});

const CREDENTIALS =
  "contains a user name or a password, so it must be a Pulumi secret: use config.requireSecret, or pulumi.secret";

/** What check accepts. `enabled` is always sent: the API's own default is "not shown". */
const declared = z.strictObject({
  url,
  name: text("is missing: the name in the dashboard"),
  secret: text("is missing").optional(),
  enabled: z.boolean({
    error: ({ input }) => (input === undefined ? "is missing" : "must be a boolean (true or false)"),
  }),
  /** The id of the webhook that the program imports. */
  import: text("is missing")
    .refine(mayBeId, { error: "must be the webhook's id at the API, as the dashboard shows it" })
    .optional(),
} satisfies Record<NameOf<"create"> | "import", z.ZodType>);

export type Inputs = z.infer<typeof declared>;

/**
 * Checks the declared inputs. Values that a preview does not know yet pass as they are.
 *
 * @param set the names of the arguments that the program sets. One without a value does not count as left out.
 * @returns the inputs with their defaults, and all problems at once, a line each, without the values: one may be a secret.
 */
export function checkInputs(
  { values: news, secrets }: Received,
  set: readonly string[] = [],
): { inputs: Record<string, unknown>; problems: string[] } {
  const given = Object.fromEntries(Object.entries(withoutHidden(news)).filter(([, value]) => value != null));
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== UNKNOWN));
  const isImport = "import" in given;
  // An import sends all fields, so none has a default.
  const defaults = isImport ? {} : { enabled: true };
  const issues = declared.safeParse({ ...defaults, ...known }).error?.issues ?? [];
  const problems = issues.filter(({ path }) => given[String(path[0])] !== UNKNOWN).map(toProblem);
  if (isImport && problems.some((problem) => problem.includes(": is missing")))
    problems.push(`import: sends all fields, so ${REQUIRED.join(", ")} are required`);
  const parsed = parseHttpUrl(String(known.url));
  const hasCredentials = parsed !== undefined && parsed.username + parsed.password !== "";
  if (hasCredentials && !secrets.has("url")) problems.push(`url: ${CREDENTIALS}`);
  for (const name of set.filter((one) => isInput(one) && !(one in given)))
    problems.push(`${name}: has no value: the output or promise that sets it is undefined`);
  return { inputs: { ...defaults, ...given }, problems };
}

function toProblem(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    return `${issue.keys.join(", ")}: not an input of a webhook; the inputs are ${INPUTS.join(", ")}`;
  }
  return `${issue.path.join(".")}: ${issue.message}`;
}

/** Parses inputs that check has approved, as create and update receive them. */
export function parseInputs(news: Properties): Inputs {
  return declared.parse(withoutHidden(news));
}

/** Returns inputs without those that the program did not declare, and that are not recorded: `__provider` is one. */
function withoutHidden(inputs: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !key.startsWith("__")));
}

/** Returns what must not appear in a message when the API quotes it. */
export function secretsOf(...received: readonly Received[]): string[] {
  const values = received.flatMap(({ values, secrets }) =>
    [...new Set([...secrets, ...SECRET_FIELDS])].map((name) => values[name]),
  );
  return values.filter((value) => typeof value === "string");
}
