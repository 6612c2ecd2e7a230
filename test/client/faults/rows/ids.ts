import { created, inDoubt } from "../outcomes.ts";
import type { Row } from "../row.ts";

const replyWithId = (json: string) =>
  ({ fault: { kind: "reply", raw: `{"data":{"webhook":{"id":${json}}}}` } }) as const;
const unusable = (what: string, json: string): Row => ({
  fault: `201 with an id that is ${what}`,
  moment: "after the commit",
  cause: replyWithId(json),
  create: { once: inDoubt("one webhook", "201 Created from POST {path}, but the reply is not the API's") },
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
  unusable("a string that begins with in-doubt:", '"in-doubt:x"'),
  {
    fault: "201 without an id",
    moment: "after the commit",
    cause: { fault: { kind: "reply", raw: '{"data":{"webhook":{"name":"Orders"}}}' } },
    create: { once: inDoubt("one webhook", "201 Created from POST {path}, but the reply is not the API's") },
  },
];
