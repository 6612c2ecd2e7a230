import type { Fault } from "../../../../src/simulator/index.js";
import { commit, html, status } from "../causes.ts";
import { created, damagedReply, deleted, unclear, updated } from "../outcomes.ts";
import type { Row } from "../row.ts";

const BEFORE = "before the commit";
const AFTER = "after the commit";
const NO_RESPONSE = "no response from POST {path}";
const EMPTY = "204 No Content from POST {path}, but the reply is empty";
const TOO_LARGE = "but the reply was larger than 1 MiB and was cut off";

/** It took effect, and its reply cannot be read. */
const damaged = (fault: string, cause: Fault, says: string): Row => ({
  fault,
  moment: AFTER,
  cause: { fault: cause },
  ...damagedReply(says),
});
/** It took effect, and its reply is read. */
const understood = {
  create: { once: created(1) },
  update: { once: updated(1) },
  delete: { once: deleted(1) },
};

/** The reply is not what the API documents. */
export const oddReplies: readonly Row[] = [
  damaged(
    "2xx with malformed JSON",
    { kind: "reply", body: "malformed" },
    "but the reply is not a JSON object",
  ),
  damaged("2xx with an empty body", { kind: "reply", body: "empty" }, "but the reply is empty"),
  damaged("2xx with null", { kind: "reply", body: "null" }, "but the reply is not a JSON object"),
  damaged("2xx with an array", { kind: "reply", body: "array" }, "but the reply is not a JSON object"),
  damaged("2xx with HTML", { kind: "reply", body: "html" }, "with a web page instead of the API's JSON"),
  unclear(
    "200 with HTML, such as a login page",
    BEFORE,
    status(200, html),
    "200 OK from POST {path}, with a web page instead of the API's JSON",
    3,
  ),
  unclear("204", AFTER, status(204, { commit, body: "" }), EMPTY, 3),
  unclear("204", BEFORE, status(204, { body: "" }), EMPTY, 3),
  damaged("2xx of 4 MB", { kind: "reply", body: "huge", bytes: 4e6 }, TOO_LARGE),
  damaged("2xx with a gzip bomb", { kind: "reply", body: "gzip bomb", bytes: 4e6 }, TOO_LARGE),
  unclear("reply with a head of 100 KB", AFTER, { wire: "endless head" }, `${NO_RESPONSE}: Headers Overflow`),
  unclear(
    "reply that is not HTTP",
    AFTER,
    { wire: "not HTTP" },
    `${NO_RESPONSE}: Response does not match the HTTP/1.1 protocol`,
  ),
  unclear(
    "reply with the status 099",
    AFTER,
    { wire: "status 099" },
    `${NO_RESPONSE}: the response is not valid HTTP`,
  ),
  {
    fault: "2xx in JSON, with another content type",
    cause: {
      fault: {
        kind: "reply",
        raw: '{"data":{"webhook":{"id":1},"message":"Webhook deleted."}}',
        contentType: "text/plain; charset=latin1",
      },
    },
    ...understood,
  },
  {
    fault: "2xx in JSON, behind a byte order mark",
    cause: { fault: { kind: "reply", body: "bom" } },
    ...understood,
  },
  {
    fault: "2xx in JSON, after 103 Early Hints",
    cause: { wire: "early hints" },
    ...understood,
  },
  ...(["gzip", "deflate", "br"] as const).map((encoding) => ({
    fault: `2xx in JSON, compressed although no compression is accepted: ${encoding}`,
    cause: { wire: encoding },
    ...understood,
  })),
  {
    fault: "reply with an unknown content-encoding",
    moment: "after the commit",
    cause: { wire: "unknown encoding" },
    ...damagedReply("but the reply has the unknown content-encoding compress"),
  },
];
