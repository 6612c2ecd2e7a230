import { created, inDoubt } from "../outcomes.ts";
import type { Row } from "../row.ts";

const NO_USABLE_ID = "201 Created from POST {path}, but the reply has no usable id";

const replyWithId = (json: string) =>
  ({ fault: { kind: "reply", raw: `{"data":{"webhook":{"id":${json}}}}` } }) as const;
const unusable = (what: string, json: string): Row => ({
  fault: `201 with an id that is ${what}`,
  moment: "after the commit",
  cause: replyWithId(json),
  create: { once: inDoubt("one webhook", NO_USABLE_ID) },
});
/** It cannot be known whose id it is. */
const ambiguous = (fault: string, raw: string, says = NO_USABLE_ID): Row => ({
  fault,
  moment: "after the commit",
  cause: { fault: { kind: "reply", raw } },
  create: { once: inDoubt("one webhook", says) },
});
const usable = (what: string, json: string, id: string): Row => ({
  fault: `201 with an id that is ${what}`,
  cause: replyWithId(json),
  create: { once: { ...created(1), id } },
});

/** The id in the reply to a create. */
export const ids: readonly Row[] = [
  usable("a number", "7", "7"),
  usable("a number beyond 2^53, to the last digit", "12345678901234567890123", "12345678901234567890123"),
  usable("a string", '"wh_7"', "wh_7"),
  usable("a string of 255 characters", `"${"x".repeat(255)}"`, "x".repeat(255)),
  unusable("a string of 256 characters", `"${"x".repeat(256)}"`),
  unusable("a fraction", "1.5"),
  unusable("negative", "-1"),
  unusable("written as 1e3", "1e3"),
  unusable("null", "null"),
  unusable("an empty string", '""'),
  unusable("an array", "[1]"),
  unusable("an empty array", "[]"),
  unusable("an object", "{}"),
  unusable("true", "true"),
  unusable("a string with spaces", '"wh 7"'),
  unusable("a string with a line break", String.raw`"wh\n7"`),
  unusable("a string with half of an emoji", String.raw`"wh-\ud83d"`),
  unusable("a string that begins with in-doubt:", '"in-doubt:x"'),
  ambiguous("201 without an id", '{"data":{"webhook":{"name":"Orders"}}}'),
  ambiguous(
    "201 with an id only outside the record",
    '{"id":"req-8f3a","data":{"webhook_id":1,"name":"Orders"}}',
  ),
  ambiguous("201 with an id only beside a list", '{"data":[{"id":1}],"id":"req-8f3a"}'),
  ambiguous(
    "201 with an id and another webhook_id",
    '{"id":5,"webhook_id":1,"name":"Orders"}',
    "201 Created from POST {path}, but the reply also names another webhook_id",
  ),
  ambiguous(
    "201 with an id around an object with another id",
    '{"id":"req-8f3a","result":{"id":1,"name":"Orders"}}',
    "201 Created from POST {path}, but the id in the reply may not be the webhook's",
  ),
  ambiguous(
    "201 with a webhook that was created more than a day before",
    '{"data":{"webhook":{"id":5,"name":"Orders","created_at":"2020-02-02T00:00:00.000000Z"}}}',
    "201 Created from POST {path}, but the reply shows a webhook that was created at 2020-02-02",
  ),
  ambiguous(
    "201 with the record of a webhook with another name",
    '{"data":{"webhook":{"id":5,"name":"Invoices"}}}',
    "201 Created from POST {path}, but the reply is about another webhook",
  ),
];
