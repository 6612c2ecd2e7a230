// The fault matrix: what may go wrong with each operation, and what must follow. The expectations are written down here,
// and nothing of them is taken from src: matrix.test.mts runs every cell, and docs/reliability.md shows them.

import type { Fault } from "../../../src/simulator/index.js";
import type { Wire } from "./wires.js";

export type Operation = "create" | "update" | "delete";

/** Fake, and looked for in every error. */
export const SECRET = "whsec-canary-0815";

/** What must follow, in the words of the table. */
export interface Outcome {
  /** Whether it is tried a second time. */
  again: boolean;
  /** What the API gets to see; "several" is two or more, as many as the scattered waits let in before the deadline. */
  requests: number | "several";
  /** What the client knows at the end. */
  ends: "success" | "failed" | "gone" | "in doubt" | "unconfirmed";
  atApi: "no webhook" | "one webhook" | "two webhooks" | "as before" | "as declared";
  state: "nothing" | "the webhook" | "in doubt" | "as before" | "as before, unconfirmed" | "as declared";
  /** A part of what the user reads. */
  says?: string;
  /** The recorded id, where it is not simply the simulator's. */
  id?: string;
}

/** What follows a fault that hits the first request only, and one that stays. */
export interface Course {
  once?: Outcome;
  forGood?: Outcome;
}

export interface Row {
  fault: string;
  /** Where it makes a difference. */
  moment?: "before the commit" | "after the commit";
  cause: Cause;
  /** It lasts until the time-out of a request, which is made short. */
  hangs?: boolean;
  /** It ends before the deadline even when the fault stays. */
  endsBeforeDeadline?: boolean;
  /** What is right here only as long as the API means what it says: one of the limits that the document names. */
  assumption?: boolean;
  create?: Course;
  update?: Course;
  delete?: Course;
}

type Cause =
  /** Of the simulator; a function where it depends on the clock. */
  | { fault: Fault | (() => Fault) }
  /** A connection that is spoiled below HTTP. */
  | { wire: Wire }
  /** To another host, which must not be asked. */
  | { redirect: 301 | 302 | 303 | 307 | 308 }
  /** The webhook was deleted in the dashboard. */
  | { missing: true };

// ---------------------------------------------------------------------------------------------------------------
// The vocabulary. `{path}` in a text is the operation's own.

const CREATE = "/webhooks";
const UPDATE = "/webhooks/update";
const DELETE = "/webhooks/delete";

const created = (requests: number): Outcome => ({
  again: requests > 1,
  requests,
  ends: "success",
  atApi: "one webhook",
  state: "the webhook",
});
const notCreated = (says: string, requests: Outcome["requests"] = 1): Outcome => ({
  again: requests !== 1,
  requests,
  ends: "failed",
  atApi: "no webhook",
  state: "nothing",
  says: says.replace("{path}", CREATE),
});
const inDoubt = (atApi: "no webhook" | "one webhook", says: string, requests = 1): Outcome => ({
  again: false,
  requests,
  ends: "in doubt",
  atApi,
  state: "in doubt",
  says: says.replace("{path}", CREATE),
});

const updated = (requests: number): Outcome => ({
  again: requests > 1,
  requests,
  ends: "success",
  atApi: "as declared",
  state: "as declared",
});
const notUpdated = (
  says: string,
  requests: Outcome["requests"] = 1,
  atApi: "as before" | "as declared" = "as before",
): Outcome => ({
  again: requests !== 1,
  requests,
  ends: "failed",
  atApi,
  state: "as before",
  says: says.replace("{path}", UPDATE),
});

const deleted = (requests: number): Outcome => ({
  again: requests > 1,
  requests,
  ends: "success",
  atApi: "no webhook",
  state: "nothing",
});
/** The API answers that there is no such webhook: one that was deleted before, most often by the first request. */
const foundDeleted = (requests: number): Outcome => ({
  again: requests > 1,
  requests,
  ends: "gone",
  atApi: "no webhook",
  state: "nothing",
});
const notDeleted = (
  says: string,
  requests: Outcome["requests"] = 1,
  atApi: "no webhook" | "one webhook" = "one webhook",
): Outcome => ({
  again: requests !== 1,
  requests,
  ends: "failed",
  atApi,
  state: "as before",
  says: says.replace("{path}", DELETE),
});
/** It may have been done, though the API did not say so. */
const unconfirmed = (outcome: Outcome): Outcome => ({
  ...outcome,
  ends: "unconfirmed",
  // What was to be deleted stays recorded, and is deleted by the next up.
  state: outcome.atApi.startsWith("as") ? "as before, unconfirmed" : "as before",
});
/** A first try that the API never saw, and a second that it took. */
const atSecondTry = (outcome: Outcome): Outcome => ({ ...outcome, again: true });

/** The request does not reach the API at first, or never does. */
const unsent = (says: string): Pick<Row, Operation> => ({
  create: { once: atSecondTry(created(1)), forGood: notCreated(says, 0) },
  update: { once: atSecondTry(updated(1)), forGood: notUpdated(says, 0) },
  delete: { once: atSecondTry(deleted(1)), forGood: notDeleted(says, 0) },
});

/** The request never reaches the API. */
const neverSent = (says: string): Pick<Row, Operation> => ({
  create: { forGood: notCreated(says, 0) },
  update: { forGood: notUpdated(says, 0) },
  delete: { forGood: notDeleted(says, 0) },
});

/** Refused, and so sent once: it had no effect. */
const refused = (says: string): Pick<Row, Operation> => ({
  create: { once: notCreated(says) },
  update: { once: notUpdated(says) },
  delete: { once: notDeleted(says) },
});

/** Refused for now, and so sent again: it had no effect. */
const refusedForNow = (says: string): Pick<Row, Operation> => ({
  create: { once: created(2), forGood: notCreated(says, "several") },
  update: { once: updated(2), forGood: notUpdated(says, "several") },
  delete: { once: deleted(2), forGood: notDeleted(says, "several") },
});

/** Sent again after the wait that the API asks for. */
const obeyed: Pick<Row, Operation> = {
  create: { once: created(2) },
  update: { once: updated(2) },
  delete: { once: deleted(2) },
};

/** An update or a delete that had no effect, which nobody can know, is sent again. */
const harmlessTwice = (says: string): Pick<Row, "update" | "delete"> => ({
  update: { once: updated(2), forGood: unconfirmed(notUpdated(says, "several")) },
  delete: { once: deleted(2), forGood: unconfirmed(notDeleted(says, "several")) },
});

/** An update or a delete that had its effect is sent again. */
const harmlessTwiceAfter = (says: string): Pick<Row, "update" | "delete"> => ({
  update: { once: updated(2), forGood: unconfirmed(notUpdated(says, "several", "as declared")) },
  delete: { once: foundDeleted(2), forGood: unconfirmed(notDeleted(says, "several", "no webhook")) },
});

/** The API says that it had no effect, and it had. */
const deniedAfter = (says: string): Pick<Row, Operation> => ({
  create: { once: { ...created(2), atApi: "two webhooks", id: "2" } },
  update: { once: updated(2), forGood: notUpdated(says, "several", "as declared") },
  delete: { once: foundDeleted(2), forGood: notDeleted(says, "several", "no webhook") },
});

/**
 * The same, where the fault spoils a reply and leaves its status: the second delete gets a spoiled 404, which is not
 * known to be the API's own.
 */
const spoiledReply = (says: string): Pick<Row, Operation> => ({
  create: { once: inDoubt("one webhook", `201 Created from POST {path}, ${says}`) },
  update: {
    once: updated(2),
    forGood: unconfirmed(notUpdated(`200 OK from POST {path}, ${says}`, "several", "as declared")),
  },
  delete: {
    once: foundDeleted(2),
    forGood: unconfirmed(notDeleted("404 Not Found from POST {path}", 2, "no webhook")),
  },
});

const status = (code: number, more: Omit<Extract<Fault, { kind: "status" }>, "kind" | "status"> = {}) => ({
  fault: { kind: "status", status: code, ...more } as const,
});
const commit = true;
const html = { body: "<!doctype html>\n<title>Oops</title>\n", contentType: "text/html" };
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

// ---------------------------------------------------------------------------------------------------------------

const noConnection: Row[] = [
  {
    fault: "connection refused",
    cause: { wire: "refused" },
    ...unsent("refused the connection"),
  },
  {
    fault: "host not known to DNS",
    cause: { wire: "unknown host" },
    endsBeforeDeadline: true,
    ...neverSent("is not known (DNS: ENOTFOUND). It was tried 3 times."),
  },
  {
    fault: "no connection in time",
    cause: { wire: "no connection" },
    hangs: true,
    ...neverSent("nothing was sent"),
  },
  {
    fault: "TLS: the server speaks none",
    cause: { wire: "no TLS" },
    endsBeforeDeadline: true,
    ...neverSent("nothing was sent: no secure connection to 127.0.0.1"),
  },
  {
    fault: "TLS: reset in the handshake",
    cause: { wire: "TLS reset" },
    ...neverSent("nothing was sent"),
  },
  {
    fault: "TLS: handshake never answered",
    cause: { wire: "TLS silent" },
    hangs: true,
    ...neverSent("nothing was sent"),
  },
];

const brokenConnection: Row[] = [
  {
    fault: "reset before the request was read",
    cause: { fault: { kind: "reset", when: "before reading" } },
    create: { once: inDoubt("no webhook", "no answer from POST {path}") },
    ...harmlessTwice("no answer from POST {path}"),
  },
  {
    fault: "reset",
    moment: "before the commit",
    cause: { fault: { kind: "reset", when: "before commit" } },
    create: { once: inDoubt("no webhook", "no answer from POST {path}") },
    ...harmlessTwice("no answer from POST {path}"),
  },
  {
    fault: "reset",
    moment: "after the commit",
    cause: { fault: { kind: "reset", when: "after commit" } },
    create: { once: inDoubt("one webhook", "no answer from POST {path}") },
    ...harmlessTwiceAfter("no answer from POST {path}"),
  },
  {
    fault: "reset in the middle of the reply's body",
    moment: "after the commit",
    cause: { fault: { kind: "reset", when: "in reply" } },
    ...spoiledReply("but"),
  },
  {
    fault: "closed without a reply",
    moment: "before the commit",
    cause: { wire: "closed unread" },
    create: { once: inDoubt("no webhook", "no answer from POST {path}: other side closed", 0) },
    update: {
      once: atSecondTry(updated(1)),
      forGood: unconfirmed(notUpdated("no answer from POST {path}: other side closed", 0)),
    },
    delete: {
      once: atSecondTry(deleted(1)),
      forGood: unconfirmed(notDeleted("no answer from POST {path}: other side closed", 0)),
    },
  },
  {
    fault: "closed without a reply",
    moment: "after the commit",
    cause: { wire: "closed" },
    create: { once: inDoubt("one webhook", "no answer from POST {path}: other side closed") },
    ...harmlessTwiceAfter("no answer from POST {path}: other side closed"),
  },
  {
    fault: "closed in the middle of the reply's body",
    moment: "after the commit",
    cause: { wire: "closed in the body" },
    ...spoiledReply("but"),
  },
  {
    fault: "reply time-out",
    moment: "before the commit",
    cause: { fault: { kind: "hang", commit: false } },
    hangs: true,
    create: { once: inDoubt("no webhook", "no answer from POST {path}: no complete reply within 1 s") },
    ...harmlessTwice("no answer from POST {path}: no complete reply within"),
  },
  {
    fault: "reply time-out",
    moment: "after the commit",
    cause: { fault: { kind: "hang", commit } },
    hangs: true,
    create: { once: inDoubt("one webhook", "no answer from POST {path}: no complete reply within 1 s") },
    ...harmlessTwiceAfter("no answer from POST {path}: no complete reply within"),
  },
  {
    fault: "reply that trickles, byte by byte",
    moment: "after the commit",
    cause: { fault: { kind: "slow", intervalMilliseconds: 100 } },
    hangs: true,
    ...spoiledReply("but no complete reply within"),
  },
];

const waiting: Row[] = [
  {
    fault: "408",
    moment: "before the commit",
    cause: status(408),
    create: { once: inDoubt("no webhook", "408 Request Timeout from POST {path}") },
    ...harmlessTwice("408 Request Timeout from POST {path}"),
  },
  {
    fault: "408",
    moment: "after the commit",
    cause: status(408, { commit }),
    create: { once: inDoubt("one webhook", "408 Request Timeout from POST {path}") },
    ...harmlessTwiceAfter("408 Request Timeout from POST {path}"),
  },
  {
    fault: "425",
    cause: status(425),
    ...refusedForNow("425 Too Early from POST {path}"),
    create: { once: notCreated("425 Too Early from POST {path}. The API could not do it now") },
  },
  {
    fault: "429 without Retry-After",
    cause: status(429),
    ...refusedForNow("The API's rate limit was still reached"),
  },
  {
    fault: "429 with Retry-After in seconds",
    cause: status(429, { retryAfter: "1" }),
    ...obeyed,
  },
  {
    fault: "429 with Retry-After as a date",
    cause: { fault: () => ({ kind: "status", status: 429, retryAfter: inSeconds(2) }) },
    ...obeyed,
  },
  {
    fault: "429 with Retry-After in the past",
    cause: status(429, { retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT" }),
    ...refusedForNow("The API's rate limit was still reached"),
  },
  {
    fault: "429 with Retry-After that cannot be read",
    cause: status(429, { retryAfter: "soon" }),
    ...refusedForNow("The API's rate limit was still reached"),
  },
  {
    fault: "429 with Retry-After of a year",
    cause: status(429, { retryAfter: "31536000" }),
    ...refused("The API asks to wait 31536000 s, longer than webhooks:deadlineSeconds."),
  },
  {
    fault: "429, though it was carried out",
    moment: "after the commit",
    cause: status(429, { commit }),
    assumption: true,
    ...deniedAfter("The API's rate limit was still reached"),
  },
];

const serverErrors: Row[] = [
  {
    fault: "500",
    moment: "before the commit",
    cause: status(500),
    create: { once: inDoubt("no webhook", "500 Internal Server Error from POST {path}") },
    ...harmlessTwice("500 Internal Server Error from POST {path}"),
  },
  {
    fault: "500",
    moment: "after the commit",
    cause: status(500, { commit }),
    create: { once: inDoubt("one webhook", "500 Internal Server Error from POST {path}") },
    ...harmlessTwiceAfter("500 Internal Server Error from POST {path}"),
  },
  {
    fault: "502 with HTML",
    moment: "before the commit",
    cause: status(502, html),
    create: { once: inDoubt("no webhook", "502 Bad Gateway from POST {path}, with a web page") },
    ...harmlessTwice("502 Bad Gateway from POST {path}, with a web page"),
  },
  {
    fault: "502 with HTML",
    moment: "after the commit",
    cause: status(502, { ...html, commit }),
    create: { once: inDoubt("one webhook", "502 Bad Gateway from POST {path}, with a web page") },
    ...harmlessTwiceAfter("502 Bad Gateway from POST {path}, with a web page"),
  },
  {
    fault: "503 without Retry-After",
    moment: "before the commit",
    cause: status(503),
    create: { once: inDoubt("no webhook", "503 Service Unavailable from POST {path}") },
    ...harmlessTwice("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 without Retry-After",
    moment: "after the commit",
    cause: status(503, { commit }),
    create: { once: inDoubt("one webhook", "503 Service Unavailable from POST {path}") },
    ...harmlessTwiceAfter("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 with Retry-After in seconds",
    cause: status(503, { retryAfter: "1" }),
    ...obeyed,
  },
  {
    fault: "503 with Retry-After in the past",
    cause: status(503, { retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT" }),
    ...refusedForNow("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 with Retry-After that cannot be read",
    cause: status(503, { retryAfter: "soon" }),
    create: { once: inDoubt("no webhook", "503 Service Unavailable from POST {path}") },
    ...harmlessTwice("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 with a negative Retry-After, which cannot be read",
    cause: status(503, { retryAfter: "-5" }),
    create: { once: inDoubt("no webhook", "503 Service Unavailable from POST {path}") },
    ...harmlessTwice("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 with Retry-After, though it was carried out",
    moment: "after the commit",
    cause: status(503, { retryAfter: "0", commit }),
    assumption: true,
    ...deniedAfter("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "504",
    moment: "before the commit",
    cause: status(504),
    create: { once: inDoubt("no webhook", "504 Gateway Timeout from POST {path}") },
    ...harmlessTwice("504 Gateway Timeout from POST {path}"),
  },
  {
    fault: "504",
    moment: "after the commit",
    cause: status(504, { commit }),
    create: { once: inDoubt("one webhook", "504 Gateway Timeout from POST {path}") },
    ...harmlessTwiceAfter("504 Gateway Timeout from POST {path}"),
  },
];

const NO_SUCH_WEBHOOK = "The API has no webhook with this id: it was deleted outside Pulumi.";
const invalid = JSON.stringify({
  message: "The given data was invalid.",
  errors: { url: ["The url must be https."], secret: [`The secret ${SECRET} is too short.`] },
});
const invalidAsShown =
  'The API said: {"message":"The given data was invalid.","errors":{"url":["The url must be https."],"secret":["The secret [secret] is too short."]}}';

const refusals: Row[] = [
  {
    fault: "400",
    cause: status(400),
    ...refused("400 Bad Request from POST {path}. Correct what the API names"),
  },
  {
    fault: "401",
    cause: status(401),
    ...refused("401 Unauthorized from POST {path}. The API key was refused"),
  },
  {
    fault: "403",
    cause: status(403),
    ...refused("403 Forbidden from POST {path}. The API key may not do this"),
  },
  {
    fault: "404 in JSON, the webhook is missing",
    cause: { missing: true },
    update: {
      once: {
        again: false,
        requests: 1,
        ends: "gone",
        atApi: "no webhook",
        state: "as before",
        says: NO_SUCH_WEBHOOK,
      },
    },
    delete: { once: foundDeleted(1) },
  },
  {
    fault: "404 in JSON",
    cause: status(404),
    create: { once: notCreated("404 Not Found from POST {path}. Check that webhooks:baseUrl is") },
  },
  {
    fault: "404 in JSON, though the webhook exists",
    cause: status(404),
    assumption: true,
    update: {
      once: {
        again: false,
        requests: 1,
        ends: "gone",
        atApi: "as before",
        state: "as before",
        says: NO_SUCH_WEBHOOK,
      },
    },
    delete: { once: { again: false, requests: 1, ends: "gone", atApi: "one webhook", state: "nothing" } },
  },
  {
    fault: "404 with HTML",
    cause: status(404, html),
    ...refused(
      "404 Not Found from POST {path}, with a web page in place of the API's JSON. Check that webhooks:baseUrl",
    ),
  },
  {
    fault: "409",
    cause: status(409),
    ...refused("409 Conflict from POST {path}. Correct what the API names"),
  },
  {
    fault: "410 in JSON",
    cause: status(410),
    create: { once: notCreated("410 Gone from POST {path}") },
  },
  {
    fault: "410 in JSON, though the webhook exists",
    cause: status(410),
    assumption: true,
    update: {
      once: {
        again: false,
        requests: 1,
        ends: "gone",
        atApi: "as before",
        state: "as before",
        says: NO_SUCH_WEBHOOK,
      },
    },
    delete: { once: { again: false, requests: 1, ends: "gone", atApi: "one webhook", state: "nothing" } },
  },
  {
    fault: "410 with HTML",
    cause: status(410, html),
    ...refused("410 Gone from POST {path}, with a web page"),
  },
  {
    fault: "422 with errors by field, as Laravel has them",
    cause: status(422, { body: invalid }),
    ...refused(invalidAsShown),
  },
  { fault: "301 to another host", cause: { redirect: 301 }, ...refused("and no redirect is followed") },
  { fault: "302 to another host", cause: { redirect: 302 }, ...refused("and no redirect is followed") },
  { fault: "303 to another host", cause: { redirect: 303 }, ...refused("and no redirect is followed") },
  { fault: "307 to another host", cause: { redirect: 307 }, ...refused("and no redirect is followed") },
  { fault: "308 to another host", cause: { redirect: 308 }, ...refused("and no redirect is followed") },
];

const oddReplies: Row[] = [
  {
    fault: "2xx with malformed JSON",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "malformed" } },
    ...spoiledReply("but the reply is not the API's"),
  },
  {
    fault: "2xx with an empty body",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "empty" } },
    ...spoiledReply("but the reply is not the API's"),
  },
  {
    fault: "2xx with null",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "null" } },
    ...spoiledReply("but the reply is not the API's"),
  },
  {
    fault: "2xx with an array",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "array" } },
    ...spoiledReply("but the reply is not the API's"),
  },
  {
    fault: "2xx with HTML",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "html" } },
    ...spoiledReply("with a web page in place of the API's JSON"),
  },
  {
    fault: "200 with HTML, such as a login page",
    moment: "before the commit",
    cause: status(200, html),
    create: {
      once: inDoubt("no webhook", "200 OK from POST {path}, with a web page in place of the API's JSON"),
    },
    ...harmlessTwice("200 OK from POST {path}, with a web page in place of the API's JSON"),
  },
  {
    fault: "204",
    moment: "after the commit",
    cause: status(204, { commit, body: "" }),
    create: {
      once: inDoubt("one webhook", "204 No Content from POST {path}, but the reply is not the API's"),
    },
    ...harmlessTwiceAfter("204 No Content from POST {path}, but the reply is not the API's"),
  },
  {
    fault: "2xx of 100 MB",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "huge" } },
    ...spoiledReply("but the reply was larger than 1 MiB and was cut off"),
  },
  {
    fault: "2xx with a gzip bomb",
    moment: "after the commit",
    cause: { fault: { kind: "reply", body: "gzip bomb", bytes: 4e6 } },
    ...spoiledReply("but the reply is not the API's"),
  },
  {
    fault: "reply with a head of 100 KB",
    moment: "after the commit",
    cause: { wire: "endless head" },
    create: { once: inDoubt("one webhook", "no answer from POST {path}: Headers Overflow") },
    ...harmlessTwiceAfter("no answer from POST {path}: Headers Overflow"),
  },
  {
    fault: "reply that is not HTTP",
    moment: "after the commit",
    cause: { wire: "not HTTP" },
    create: {
      once: inDoubt(
        "one webhook",
        "no answer from POST {path}: Response does not match the HTTP/1.1 protocol",
      ),
    },
    ...harmlessTwiceAfter("no answer from POST {path}: Response does not match the HTTP/1.1 protocol"),
  },
  {
    fault: "2xx in JSON, with another content type",
    cause: {
      fault: {
        kind: "reply",
        raw: '{"data":{"webhook":{"id":1}}}',
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
];

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

const ids: Row[] = [
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

export const rows: readonly Row[] = [
  ...noConnection,
  ...brokenConnection,
  ...waiting,
  ...serverErrors,
  ...refusals,
  ...oddReplies,
  ...ids,
];

// ---------------------------------------------------------------------------------------------------------------

/** One operation under one fault. */
export interface Cell {
  operation: Operation;
  row: Row;
  lasts: "once" | "for good";
  outcome: Outcome;
}

/** The cells of an operation, in the order of the rows. */
export function cellsOf(operation: Operation): Cell[] {
  return rows.flatMap((row) => {
    const { once, forGood } = row[operation] ?? {};
    return [
      ...(once ? [{ operation, row, lasts: "once", outcome: once } as const] : []),
      ...(forGood ? [{ operation, row, lasts: "for good", outcome: forGood } as const] : []),
    ];
  });
}
