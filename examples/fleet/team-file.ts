// The file of one team: what it can contain, and the line of each problem.
import * as pulumi from "@pulumi/pulumi";
import { isMap, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { z } from "zod";

/** The name of a team, or the key of a webhook. A slash separates the two in Pulumi, so neither contains one. */
export const NAME = /^[a-z][a-z0-9-]*$/;
export const NAME_RULE = "Use lower-case letters, digits and hyphens, and start with a letter";

const WEBHOOK = z.strictObject({
  account: z.enum(["us", "eu"]),
  url: z.url({
    protocol: /^https?$/,
    error: ({ code }) => (code === "invalid_format" ? "Use an http or https URL" : undefined),
  }),
  /** The name in the dashboard. Default: the team and the key, such as `payments/orders`. */
  name: z.string().min(1).optional(),
  /** The config key of the secret. */
  secret: z.string().transform(findSecret).optional(),
  enabled: z.boolean().default(true),
  /** Whether Pulumi refuses to delete or replace the webhook. */
  critical: z.boolean().default(false),
});

const TEAM = z.strictObject({
  /** The team's old name, after its file was renamed. */
  renamedFrom: z.string().regex(NAME, NAME_RULE).optional(),
  webhooks: z
    .record(z.string().regex(NAME, NAME_RULE), WEBHOOK)
    .refine((webhooks) => Object.keys(webhooks).length > 0, "Declare a webhook, or delete the file"),
});

/** The name of an account. */
export type Account = z.infer<typeof WEBHOOK>["account"];

/** What a team declares. */
export type TeamData = z.infer<typeof TEAM>;

/** A key of the file with the keys above it, such as `["webhooks", "orders", "url"]`. */
export type Path = readonly PropertyKey[];

/** A file that was read. */
export interface TeamFile {
  /** What the team declares. Undefined if the file has problems. */
  data: TeamData | undefined;
  /** The problems. None quotes a value, because somebody may have put a secret into the file. */
  problems: string[];
  /** Describes where a key is, such as `teams/payments.yaml:4 webhooks.orders.url`. */
  locate(path: Path): string;
}

/** Parses a team's file. `file` is its path, as the problems show it. */
export function parseTeamFile(file: string, text: string): TeamFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset = 0) => `${file}:${lines.linePos(offset).line}`;
  const locate = (path: Path) =>
    [lineAt(findOffset(document.contents, path)), path.join(".")].join(" ").trim();

  const problems = [...document.errors, ...document.warnings].map(
    ({ pos, message }) => `${lineAt(pos[0])}: ${message}`,
  );
  visit(document, {
    Alias: (_, { range }) => {
      problems.push(`${lineAt(range?.[0])}: Aliases are not supported`);
    },
  });
  if (problems.length > 0) return { data: undefined, problems, locate };

  const { data, error } = TEAM.safeParse(document.toJS(), { error: describe });
  for (const issue of error?.issues ?? []) {
    const paths =
      issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    problems.push(...paths.map((path) => `${locate(path)}: ${issue.message}`));
  }
  return { data, problems, locate };
}

/** Replaces messages of zod that say little to a team. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return "This key is required";
  if (issue.input === null) return "This is empty";
  if (issue.code === "unrecognized_keys") return "This key is unknown";
  if (issue.code === "invalid_key") return issue.issues[0]?.message;
  return undefined;
}

function findSecret(key: string, context: z.RefinementCtx): pulumi.Output<string> {
  const secret = new pulumi.Config().getSecret(key);
  if (secret !== undefined) return secret;
  context.addIssue("The stack's config has no such key. Set it with pulumi config set --secret");
  return z.NEVER;
}

/** Finds the offset of a key, or of the key above if the file lacks it. */
function findOffset(contents: unknown, path: Path): number | undefined {
  let node = contents;
  let offset: number | undefined;
  for (const part of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => String(key) === part) : undefined;
    if (!isScalar(pair?.key)) break;
    offset = pair.key.range?.[0];
    node = pair.value;
  }
  return offset;
}
