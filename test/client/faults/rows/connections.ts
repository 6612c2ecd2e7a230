import {
  atSecondAttempt,
  damagedReply,
  inDoubt,
  mayBeDone,
  neverSent,
  unclear,
  unclearAfter,
  unsent,
} from "../outcomes.ts";
import { commit, type Line } from "../row.ts";

const NO_RESPONSE = "no response from POST {path}";
const CLOSED = `${NO_RESPONSE}: other side closed`;
const NO_COMPLETE_RESPONSE = `${NO_RESPONSE}: no complete response within 8 s`;
const NOT_KNOWN = "(getaddrinfo ENOTFOUND";
const NO_TLS =
  "(ERR_SSL_WRONG_VERSION_NUMBER). It was tried 5 times. Check webhooks:baseUrl and the network.";
const hangs = true;
const endsBeforeDeadline = true;

/** The request never reaches the API. */
const noConnection: Line[] = [
  ["a closed port", { wire: "refused" }, { endsBeforeDeadline, ...unsent("(connect ECONNREFUSED ::1:") }],
  ["host not known to DNS", { wire: "unknown host" }, { endsBeforeDeadline, ...neverSent(NOT_KNOWN) }],
  ["no connection in time", { wire: "no connection" }, { hangs, ...neverSent("no request was sent") }],
  ["TLS: the server speaks none", { wire: "no TLS" }, { endsBeforeDeadline, ...neverSent(NO_TLS) }],
  ["TLS: reset in the handshake", { wire: "TLS reset" }, neverSent("no request was sent")],
];

/** The connection breaks, or no reply comes. */
const brokenConnection: Line[] = [
  [
    "reset before the request was read",
    { fault: { kind: "reset", when: "before reading" } },
    { ...unclear(NO_RESPONSE), moment: undefined },
  ],
  ["reset", { fault: { kind: "reset", when: "before commit" } }, unclear(NO_RESPONSE)],
  ["reset", { fault: { kind: "reset", when: "after commit" } }, unclearAfter(NO_RESPONSE)],
  ["reset in the reply", { fault: { kind: "reset", when: "in reply" } }, damagedReply("but", "several")],
  [
    "closed without a reply",
    { wire: "closed unread" },
    {
      moment: "before the commit",
      create: inDoubt(CLOSED, { requests: 0 }),
      update: { once: atSecondAttempt("update"), forGood: mayBeDone("update", CLOSED, { requests: 0 }) },
      delete: { once: atSecondAttempt("delete"), forGood: mayBeDone("delete", CLOSED, { requests: 0 }) },
    },
  ],
  ["closed without a reply", { wire: "closed" }, unclearAfter(CLOSED)],
  ["closed in the middle of the reply", { wire: "closed in the body" }, damagedReply("but", "several")],
  ["reply time-out", { fault: { kind: "hang", commit: false } }, { hangs, ...unclear(NO_COMPLETE_RESPONSE) }],
  ["reply time-out", { fault: { kind: "hang", commit } }, { hangs, ...unclearAfter(NO_COMPLETE_RESPONSE) }],
  [
    "reply whose body trickles, byte by byte",
    { fault: { kind: "slow", intervalMilliseconds: 500 } },
    { hangs, ...damagedReply("but no complete response within", "several") },
  ],
];

export const connections = [...noConnection, ...brokenConnection];
