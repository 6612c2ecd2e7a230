import { z } from "zod";
import type { Behavior } from "./behavior.js";
import { check, strictOptions } from "./options.js";

// Beside the interface, not its source, and in another file: the public declarations must not name zod.
/**
 * The options, in the order of `Behavior`. Their descriptions are the command line's help and the UI's labels, as are the
 * forms of values that are not a list.
 */
export const FIELDS = {
  idPlace: z
    .enum(["data.webhook.id", "data.id", "webhook.id", "id", "none"])
    .default("data.webhook.id")
    .describe("where the reply to a create holds the id"),
  idType: z.enum(["number", "string"]).default("number").describe("how replies write an id"),
  firstId: z
    .string()
    .regex(/^(0|[1-9]\d*)$/, "expected decimal digits without a leading zero")
    .default("1")
    .meta({ description: "id of the first webhook", form: "a whole number, also above 2^53" }),
  deletedIds: z
    .enum(["never used again", "used again"])
    .default("never used again")
    .describe("whether new webhooks get the ids of deleted ones"),
  enabledType: z.enum(["boolean", "string"]).default("string").describe("how replies write enabled"),
  timestampsInCreateReply: z
    .boolean("expected true or false")
    .default(true)
    .describe("whether the reply to a create holds timestamps"),
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
    .default("leaves updated_at")
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
    .meta({ description: "seconds by which the API's clock is ahead", form: "a number" }),
  idempotencyKey: z
    .enum(["ignored", "honoured"])
    .default("ignored")
    .describe("what a repeated Idempotency-Key does"),
  rateLimit: z
    .strictObject({ perSecond: z.number().positive(), burst: z.number().min(1), headers: z.boolean() })
    .optional()
    .meta({
      description: "requests per second, and at once, before a 429",
      form: "PER_SECOND:BURST[:headers]",
    }),
};
const SCHEMA = strictOptions(FIELDS);

// `parseBehavior` proves that the schema allows nothing that the interface lacks; this proves the reverse.
true satisfies Behavior extends z.input<typeof SCHEMA> ? true : false;

/**
 * Checks the given options and fills in the defaults of the others.
 * @throws RangeError that names each wrong option and the values it allows.
 */
export function parseBehavior(given: unknown): Behavior {
  const { rateLimit, ...rest } = check(SCHEMA, given, "behavior");
  return { ...rest, rateLimit };
}
