import { z } from "zod";
import type { Behaviour } from "./behaviour.js";
import { check, strictOptions } from "./options.js";

// Beside the interface, not its source, and in another file: the public declarations must not name zod.
/** The options, in the order of `Behaviour`. Their descriptions are the command line's help and the UI's labels. */
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
    .describe("id of the first webhook"),
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
    .describe("seconds by which the API's clock is ahead"),
  idempotencyKey: z
    .enum(["ignored", "honoured"])
    .default("ignored")
    .describe("what a repeated Idempotency-Key does"),
  rateLimit: z
    .strictObject({ perSecond: z.number().positive(), burst: z.number().min(1), headers: z.boolean() })
    .optional()
    .describe("requests per second, and at once, before a 429"),
};
const SCHEMA = strictOptions(FIELDS);

// `parseBehaviour` proves that the schema allows nothing that the interface lacks; this proves the reverse.
true satisfies Behaviour extends z.input<typeof SCHEMA> ? true : false;

/**
 * Checks the given options and fills in the defaults of the others.
 * @throws RangeError that names each wrong option and the values it allows.
 */
export function parseBehaviour(given: unknown): Behaviour {
  const { rateLimit, ...rest } = check(SCHEMA, given, "behaviour");
  return { ...rest, rateLimit };
}
