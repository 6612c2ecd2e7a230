import { z } from "zod";

/** What stands for a value that a preview does not know yet; it arrives in check and diff, for booleans too. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

// ---------------------------------------------------------------------------------------------------------------
// What a program declares. The API documents no limits ("Constraints on name, url and secret … not shown"), so only
// what can never be meant is refused.

const MASK = /^(?:\*{3,}|•{3,}|[[(<](?:secret|redacted|hidden|masked)[\])>]|redacted)$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

const text = (missing: string) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? missing : "must be a string") })
    .refine((value) => value.trim() !== "", { error: "must not be empty", abort: true })
    .refine((value) => !MASK.test(value), {
      error: "is a mask that hides the real value: give the value itself",
      abort: true,
    })
    .refine((value) => !CONTROL.test(value), {
      error:
        "must not hold line breaks or other control characters; a value read from a file often ends in one",
      abort: true,
    });

const url = text("is missing: the address that receives the notifications").superRefine((value, context) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || /\s/.test(value)) {
    context.addIssue("must be an absolute http or https address, such as https://example.com/hooks");
  } else if (parsed.username !== "" || parsed.password !== "") {
    context.addIssue("must not hold a user name or a password: put a token into its path or query instead");
  }
});

const enabled = z.boolean({
  error: (issue) =>
    issue.input === undefined ? "is missing: true or false" : "must be true or false, not another type",
});

const importedId = text("is missing").refine((value) => !/\s/.test(value) && !value.startsWith("in-doubt:"), {
  error: "must be the webhook's id at the API, as the dashboard shows it",
});

const declared = {
  url,
  name: text("is missing: what the dashboard calls the webhook"),
  secret: text("is missing").optional(),
};

/** `enabled` is always sent: the API's own default is "not shown". */
const toCreate = z.strictObject({ ...declared, enabled: enabled.default(true) });

/** Adopting sends every field, so none may be left to a default. */
const toAdopt = z.strictObject({ ...declared, enabled, import: importedId });

/** A webhook as a program declares it, checked and with its defaults. */
export type Inputs = z.infer<typeof toCreate> | z.infer<typeof toAdopt>;

/** The fields that the API keeps of a webhook and an update sends. */
export type Fields = Pick<Inputs, "url" | "name" | "enabled">;

/**
 * Checks what a program declares. Values that a preview does not know yet pass as they are.
 *
 * @returns the inputs with their defaults, and every problem at once, a line each, without the values: one may be a secret.
 */
export function checkInputs(news: Record<string, unknown>): {
  inputs: Record<string, unknown>;
  problems: string[];
} {
  const given = Object.entries(news).filter(([, value]) => value !== undefined && value !== null);
  const unknown = Object.fromEntries(given.filter(([, value]) => value === UNKNOWN));
  const known = Object.fromEntries(given.filter(([, value]) => value !== UNKNOWN));
  const adopts = "import" in known || "import" in unknown;

  const issues = (adopts ? toAdopt : toCreate).safeParse(known).error?.issues ?? [];
  const problems = issues.filter((issue) => !(String(issue.path[0]) in unknown)).map(problemOf);
  const defaults = adopts ? {} : { enabled: true };
  return { inputs: { ...defaults, ...known, ...unknown }, problems };
}

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    return `${issue.keys.join(", ")}: not an input of a webhook; the inputs are ${Object.keys(toCreate.shape).join(", ")}`;
  }
  return `${issue.path.join(".")}: ${issue.message}`;
}

/** Reads inputs that check has approved, as create and update receive them. */
export function parseInputs(inputs: Record<string, unknown>): Inputs {
  return "import" in inputs ? toAdopt.parse(inputs) : toCreate.parse(inputs);
}

// ---------------------------------------------------------------------------------------------------------------
// What is recorded. State is a contract: every version reads what every older one wrote, and passes over what a newer
// one added.

const state = z.object({
  url: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  secret: z.string().optional(),
  /** Where the webhook lives: it must never be looked for at another account's API. */
  baseUrl: z.string(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  /** When the API last changed it, where that was not by Pulumi; it goes with the next update. */
  changedOutsidePulumi: z.string().optional(),
  /** Whether the API may have another url, name or enabled: an update got no clear answer. It goes with the next one. */
  unconfirmed: z.boolean().optional(),
  /** When it was adopted, which tells its record from an older one of the same webhook. */
  adoptedAt: z.string().optional(),
});

/** A webhook as it is recorded in the stack's state. */
export type State = z.infer<typeof state>;

/** Reads recorded outputs; undefined where they are not those of a webhook. */
export function parseState(outputs: unknown): State | undefined {
  return state.safeParse(outputs).data;
}

// ---------------------------------------------------------------------------------------------------------------
// What goes over the wire: every field is a string, `enabled` is "true" or "false", and the id is `webhook_id`.

export const createBody = ({ url, name, secret, enabled }: Omit<Inputs, "import">) => ({
  url,
  name,
  ...(secret !== undefined && { secret }),
  enabled: String(enabled),
});

/** All fields always: what an update does with an omitted one is "not shown". */
export const updateBody = (webhookId: string, { url, name, enabled }: Fields) => ({
  webhook_id: webhookId,
  url,
  name,
  enabled: String(enabled),
});

/** An update that changes nothing, at an API that keeps omitted fields. */
export const probeBody = (webhookId: string) => ({ webhook_id: webhookId });

export const deleteBody = (webhookId: string) => ({ webhook_id: webhookId });

/** A reply of the API: any JSON object. */
export type Reply = Record<string, unknown>;

/** Reads a reply's text; undefined where it is not a JSON object, and so not the API's. */
export function parseReply(text: string): Reply | undefined {
  try {
    const value = JSON.parse(text, keepIdDigits);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// The document calls an id a number, and digits beyond 2^53 survive only in the source text, the reviver's third
// parameter, which TypeScript's library does not declare yet: hence the cast.
const keepIdDigits = ((key: string, value: unknown, { source = "" }: { source?: string }) =>
  key === "id" && typeof value === "number" && /^\d+$/.test(source) ? source : value) as Parameters<
  typeof JSON.parse
>[1];

const optional = <Value extends z.ZodType>(schema: Value) => schema.optional().catch(undefined);

const record = z.object({
  id: optional(z.string().regex(/^[\x21-\x7e]{1,255}$/)),
  name: optional(z.string()),
  enabled: optional(z.union([z.boolean(), z.enum(["true", "false"]).transform((value) => value === "true")])),
  created_at: optional(z.string().max(64)),
  updated_at: optional(z.string().max(64)),
});

/** What a reply tells of a webhook: each part only where it is there and usable. */
export interface WebhookRecord {
  id?: string | undefined;
  name?: string | undefined;
  enabled?: boolean | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
}

/** What a probe got to know, and when, in seconds by the server's clock; undefined where the server does not tell it. */
export interface Probed extends WebhookRecord {
  answeredAt: number | undefined;
  /** Seconds from sending the first request to the answer. */
  tookSeconds: number;
}

/**
 * Reads the webhook's record in a reply.
 *
 * The document shows `data.webhook` for an update and nothing for a create. The other places are those where such
 * APIs put it; the innermost object decides, since an `id` further out may be a request's.
 */
export function readRecord(reply: Reply): WebhookRecord {
  const { id, name, enabled, created_at, updated_at } = record.parse(findRecord(reply).written);
  const usableId = id?.startsWith("in-doubt:") ? undefined : id;
  return { id: usableId, name, enabled, createdAt: created_at, updatedAt: updated_at };
}

/** Where a reply holds the webhook's record, such as `data.webhook`, and the record as it is written there. */
export function findRecord(reply: Reply): { place: string; written: Reply } {
  const data = isObject(reply.data) ? reply.data : {};
  if (isObject(data.webhook)) return { place: "data.webhook", written: data.webhook };
  if ("id" in data) return { place: "data", written: data };
  if (isObject(reply.webhook)) return { place: "webhook", written: reply.webhook };
  return { place: "", written: reply };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
