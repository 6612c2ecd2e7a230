import type { Fault } from "../../../../simulator/src/index.js";
import {
  damagedReply,
  inDoubt,
  mayBeDone,
  succeeds,
  unclear,
  unclearAfter,
  understood,
} from "../outcomes.ts";
import { commit, html, type Line, status } from "../row.ts";

const NO_RESPONSE = "no response from POST {path}";
const NOT_HTTP = `${NO_RESPONSE}: Response does not match the HTTP/1.1 protocol`;
const NO_OBJECT = "but the reply is not a JSON object";
const WEB_PAGE = "with a web page instead of the API's JSON";
const LOGIN = `200 OK from POST {path}, ${WEB_PAGE}`;
const EMPTY = "204 No Content from POST {path}, but the reply is empty";
const TOO_LARGE = "but the reply was larger than 1 MiB and was cut off";
const raw = '{"data":{"webhook":{"id":1},"message":"Webhook deleted."}}';

const odd = (body: Extract<Fault, { kind: "reply" }>["body"], more = {}) =>
  ({ fault: { kind: "reply", body, ...more } as Fault }) as const;

/** The reply is not what the API documents. */
const oddReplies: Line[] = [
  ["2xx with malformed JSON", odd("malformed"), damagedReply(NO_OBJECT)],
  ["2xx with an empty body", odd("empty"), damagedReply("but the reply is empty")],
  ["2xx with null", odd("null"), damagedReply(NO_OBJECT)],
  ["2xx with an array", odd("array"), damagedReply(NO_OBJECT)],
  ["2xx with HTML", odd("html"), damagedReply(WEB_PAGE)],
  ["200 with HTML, such as a login page", status(200, html), unclear(LOGIN, 5)],
  ["204", status(204, { commit, body: "" }), unclearAfter(EMPTY, 5)],
  ["204", status(204, { body: "" }), unclear(EMPTY, 5)],
  ["2xx of 4 MB", odd("huge", { bytes: 4e6 }), damagedReply(TOO_LARGE)],
  ["2xx, a gzip bomb", odd("gzip bomb", { bytes: 4e6 }), damagedReply("but the reply could not be unpacked")],
  ["reply that is not HTTP", { wire: "not HTTP" }, unclearAfter(NOT_HTTP)],
  ["reply with the status 099", { wire: "status 099" }, unclearAfter(NO_RESPONSE)],
  [
    "2xx in JSON, with another content type",
    { fault: { kind: "reply", raw, contentType: "text/plain; charset=latin1" } },
    understood,
  ],
  ["2xx, 1 for enabled", { fault: { kind: "reply", raw: raw.replace("1}", '1,"enabled":1}') } }, understood],
  ["2xx in JSON, behind a byte order mark", odd("bom"), understood],
  ["2xx in JSON, after 103 Early Hints", { wire: "early hints" }, understood],
  ["2xx in JSON, compressed although no compression is accepted", { wire: "gzip" }, understood],
];

const OTHER = "but the reply is about another webhook";
const NO_ID = "but the reply has no usable id";
const NOT_DELETED = "but the reply does not say that the webhook was deleted";
const NEW_IDS =
  "webhook 1 has the id 7 now: this API gives webhooks new ids, which is not supported. Do not create the webhook again: it exists.";
const ACCEPTED = "202 Accepted from POST {path}, but this status does not mean that the webhook was created";
const webhook = (id: string, name: string) => `{"data":{"webhook":{"id":${id},"name":"${name}"}}}`;
const message = (text: string) => `{"data":{"message":"${text}"}}`;

/** Both moments of a 200 with this body, which is no success. `problem`: of a create and an update. */
const falseSuccess = (fault: string, body: string, problem: string): Line[] =>
  ([unclear, unclearAfter] as const).map((course) => {
    const says = (text: string) => course(`200 OK from POST {path}, ${text}`, 5);
    const cause = status(200, course === unclear ? { body } : { body, commit });
    return [fault, cause, { ...says(problem), delete: says(NOT_DELETED).delete }];
  });

/** A 2xx in JSON that is not the success which the API documents. */
const falseSuccesses: Line[] = [
  ...falseSuccess("200 with an error inside", '{"success":false,"error":{"code":17}}', NO_ID),
  ...falseSuccess("200 with {}", "{}", NO_ID),
  ...falseSuccess("200 with another webhook's record", webhook("7", "Invoices"), OTHER),
  [
    "200 with a message without the documented word",
    status(200, { body: message("The webhook is locked.") }),
    { ...unclear(`200 OK from POST {path}, ${NOT_DELETED}`, 5), create: {}, update: {} },
  ],
  [
    "202 with the documented message",
    status(202, { body: message("Webhook deleted.") }),
    { ...unclear(`202 Accepted from POST {path}, ${NOT_DELETED}`), create: {}, update: {} },
  ],
  [
    "200 with another id and the name that was sent: the API gives webhooks new ids",
    status(200, { body: webhook("7", "Orders"), commit }),
    {
      moment: "after the commit",
      update: { once: mayBeDone("update", NEW_IDS, { atApi: "as declared" }) },
    },
  ],
  [
    "202 with the record of a webhook",
    status(202, { body: webhook("1", "Orders"), commit }),
    { moment: "after the commit", create: inDoubt(ACCEPTED, { atApi: "one webhook" }) },
  ],
];

/** The documented success, with an error beside it. */
const successWithError =
  '{"success":false,"data":{"webhook":{"id":1,"name":"Orders"},"message":"Webhook deleted.","error":"No."}}';
const successes: Line[] = [
  ["200, documented success and an error", status(200, { body: successWithError, commit }), understood],
  [
    "200, documented success and an error",
    status(200, { body: successWithError }),
    {
      moment: "before the commit",
      assumption: true,
      create: { once: { ...succeeds("create", 1), atApi: "no webhook" } },
      update: { once: { ...succeeds("update", 1), atApi: "as before" } },
      delete: { once: { ...succeeds("delete", 1), atApi: "one webhook" } },
    },
  ],
];

/** The reply to a create. replies.test.ts has more ids. */
const created: Line[] = [
  [
    "201 without a usable id",
    { fault: { kind: "reply", raw: '{"data":{"webhook":{"id":"wh 7"}}}' } },
    {
      moment: "after the commit",
      create: inDoubt(`201 Created from POST {path}, ${NO_ID}`, { atApi: "one webhook" }),
    },
  ],
  [
    "201 with another name than the one that was sent",
    { fault: { kind: "reply", raw: webhook("5", "Invoices") } },
    // The update with what was sent gets a 404.
    { create: { once: { ...succeeds("create", 6), ends: "unclear", state: "the webhook, sent again" } } },
  ],
  [
    "201 or 200 that says that the webhook is disabled",
    { fault: { kind: "reply", raw: '{"data":{"webhook":{"id":1,"enabled":"false"}}}' } },
    {
      // It is asked once more.
      create: { once: succeeds("create", 2) },
      update: { once: succeeds("update", 2) },
    },
  ],
];

export const replies = [...oddReplies, ...falseSuccesses, ...successes, ...created];
