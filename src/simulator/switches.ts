import { z } from "zod";
import type { Behaviour } from "./behaviour.js";

/**
 * The switches in zod. Not beside the interface: that would put zod's types into the public declarations. The descriptions
 * are the command line's help and the page's labels: the first sentence of each doc comment of the interface, shortened.
 */
export const switches = {
  idPlace: z
    .enum(["data.webhook.id", "data.id", "webhook.id", "id", "none"])
    .default("data.webhook.id")
    .describe("where the reply to a create holds the id"),
  idType: z.enum(["number", "string"]).default("number").describe("how replies write an id"),
  firstId: z
    .string()
    .regex(/^(0|[1-9]\d*)$/, "expected decimal digits without a leading zero")
    .default("1")
    .describe("id of the first webhook, in digits; may exceed 2^53"),
  enabledType: z.enum(["boolean", "string"]).default("string").describe("how replies write enabled"),
  timestampsInCreateReply: z
    .boolean("expected true or false")
    .default(true)
    .describe("whether a create's reply holds timestamps"),
  timestampPrecision: z
    .enum(["microseconds", "milliseconds", "seconds"])
    .default("microseconds")
    .describe("precision of timestamps in replies"),
  omittedFields: z
    .enum(["kept", "cleared"])
    .default("kept")
    .describe("what an update does to fields it omits"),
  emptyUpdate: z
    .enum(["leaves updated_at", "sets updated_at"])
    .default("sets updated_at")
    .describe("what an update with only webhook_id does"),
  errorShape: z
    .enum(["message", "errors", "nested", "html", "empty"])
    .default("message")
    .describe("body of an error"),
  clockSkewSeconds: z
    .number("expected a number")
    .min(-1e9)
    .max(1e9)
    .default(0)
    .describe("seconds by which the API's clock is ahead"),
  idempotencyKey: z
    .enum(["ignored", "honoured"])
    .default("ignored")
    .describe("what a repeated Idempotency-Key does"),
  rateLimit: z
    .strictObject({ perSecond: z.number().positive(), burst: z.number().min(1), headers: z.boolean() })
    .optional()
    .describe("calls a second, and at once, before a 429"),
};

const schema = z.strictObject(switches, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? `no switch is called ${issue.keys.join(", ")}; there are ${Object.keys(switches).join(", ")}`
      : undefined,
});

// `parseBehaviour` shows that the schema allows nothing the interface lacks; this, that it refuses nothing it has.
true satisfies Behaviour extends z.input<typeof schema> ? true : false;

/**
 * The given switches, checked, and the defaults of the others.
 * @throws RangeError that names each wrong switch and what it allows.
 */
export function parseBehaviour(given: unknown): Behaviour {
  const result = schema.safeParse(given);
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) =>
      ["behaviour", ...path].join(".").concat(": ", message),
    );
    throw new RangeError(problems.join("; "));
  }
  const { rateLimit, ...rest } = result.data;
  return { ...rest, rateLimit };
}
