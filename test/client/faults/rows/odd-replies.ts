import { commit, html, status } from "../causes.ts";
import {
  created,
  damagedReply,
  deleted,
  inDoubt,
  safeToRepeat,
  safeToRepeatAfterCommit,
  updated,
} from "../outcomes.ts";
import type { Row } from "../row.ts";

/** The reply is not what the API documents. */
export const oddReplies: readonly Row[] = [
  {
    fault: "2xx with malformed JSON",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "malformed" } },
    ...damagedReply("but the reply is not a JSON object"),
  },
  {
    fault: "2xx with an empty body",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "empty" } },
    ...damagedReply("but the reply is empty"),
  },
  {
    fault: "2xx with null",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "null" } },
    ...damagedReply("but the reply is not a JSON object"),
  },
  {
    fault: "2xx with an array",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "array" } },
    ...damagedReply("but the reply is not a JSON object"),
  },
  {
    fault: "2xx with HTML",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "html" } },
    ...damagedReply("with a web page instead of the API's JSON"),
  },
  {
    fault: "200 with HTML, such as a login page",
    moment: "before the commit",
    cause: status(200, html),
    create: {
      once: inDoubt("no webhook", "200 OK from POST {path}, with a web page instead of the API's JSON"),
    },
    ...safeToRepeat("200 OK from POST {path}, with a web page instead of the API's JSON", 3),
  },
  {
    fault: "204",
    moment: "after the commit",
    cause: status(204, { commit, body: "" }),
    create: {
      once: inDoubt("one webhook", "204 No Content from POST {path}, but the reply is empty"),
    },
    ...safeToRepeatAfterCommit("204 No Content from POST {path}, but the reply is empty", 3),
  },
  {
    fault: "204",
    moment: "before the commit",
    cause: status(204, { body: "" }),
    create: {
      once: inDoubt("no webhook", "204 No Content from POST {path}, but the reply is empty"),
    },
    ...safeToRepeat("204 No Content from POST {path}, but the reply is empty", 3),
  },
  {
    fault: "2xx of 100 MB",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "huge" } },
    ...damagedReply("but the reply was larger than 1 MiB and was cut off"),
  },
  {
    fault: "2xx with a gzip bomb",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "gzip bomb", bytes: 4e6 } },
    ...damagedReply("but the reply was larger than 1 MiB and was cut off"),
  },
  {
    fault: "reply with a head of 100 KB",
    moment: "after the commit",
    cause: { wire: "endless head" },
    create: { once: inDoubt("one webhook", "no response from POST {path}: Headers Overflow") },
    ...safeToRepeatAfterCommit("no response from POST {path}: Headers Overflow"),
  },
  {
    fault: "reply that is not HTTP",
    moment: "after the commit",
    cause: { wire: "not HTTP" },
    create: {
      once: inDoubt(
        "one webhook",
        "no response from POST {path}: Response does not match the HTTP/1.1 protocol",
      ),
    },
    ...safeToRepeatAfterCommit("no response from POST {path}: Response does not match the HTTP/1.1 protocol"),
  },
  {
    fault: "2xx in JSON, with another content type",
    cause: {
      fault: {
        kind: "reply",
        raw: '{"data":{"webhook":{"id":1},"message":"Webhook deleted."}}',
        contentType: "text/plain; charset=latin1",
      },
    },
    create: { once: created(1) },
    update: { once: updated(1) },
    delete: { once: deleted(1) },
  },
  {
    fault: "2xx in JSON, behind a byte order mark",
    cause: { fault: { kind: "reply", body: "bom" } },
    create: { once: created(1) },
    update: { once: updated(1) },
    delete: { once: deleted(1) },
  },
  {
    fault: "2xx in JSON, after 103 Early Hints",
    cause: { wire: "early hints" },
    create: { once: created(1) },
    update: { once: updated(1) },
    delete: { once: deleted(1) },
  },
  ...(["gzip", "deflate", "br"] as const).map((encoding) => ({
    fault: `2xx in JSON, compressed although no compression is accepted: ${encoding}`,
    cause: { wire: encoding },
    create: { once: created(1) },
    update: { once: updated(1) },
    delete: { once: deleted(1) },
  })),
  {
    fault: "reply with an unknown content-encoding",
    moment: "after the commit",
    cause: { wire: "unknown encoding" },
    ...damagedReply("but the reply has the unknown content-encoding compress"),
  },
];
