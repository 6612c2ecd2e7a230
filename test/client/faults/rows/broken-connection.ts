import { commit } from "../causes.ts";
import {
  atSecondAttempt,
  deleted,
  incompleteReply,
  inDoubt,
  notDeleted,
  notUpdated,
  safeToRepeat,
  unclear,
  unconfirmed,
  updated,
} from "../outcomes.ts";
import type { Row } from "../row.ts";

const BEFORE = "before the commit";
const AFTER = "after the commit";
const NO_RESPONSE = "no response from POST {path}";
const CLOSED = `${NO_RESPONSE}: other side closed`;

/** Each attempt takes until its time-out. */
const hanging = (fault: string, moment: typeof BEFORE | typeof AFTER, cause: Row["cause"]): Row => ({
  ...unclear(fault, moment, cause, `${NO_RESPONSE}: no complete response within`),
  create: {
    once: inDoubt(
      moment === AFTER ? "one webhook" : "no webhook",
      `${NO_RESPONSE}: no complete response within 8 s`,
    ),
  },
  hangs: true,
});

/** The connection breaks, or no reply comes. */
export const brokenConnection: readonly Row[] = [
  {
    fault: "reset before the request was read",
    cause: { fault: { kind: "reset", when: "before reading" } },
    create: { once: inDoubt("no webhook", NO_RESPONSE) },
    ...safeToRepeat(NO_RESPONSE),
  },
  unclear("reset", BEFORE, { fault: { kind: "reset", when: "before commit" } }, NO_RESPONSE),
  unclear("reset", AFTER, { fault: { kind: "reset", when: "after commit" } }, NO_RESPONSE),
  {
    fault: "reset in the middle of the reply's body",
    moment: AFTER,
    cause: { fault: { kind: "reset", when: "in reply" } },
    ...incompleteReply("but"),
  },
  {
    fault: "closed without a reply",
    moment: BEFORE,
    cause: { wire: "closed unread" },
    create: { once: inDoubt("no webhook", CLOSED, 0) },
    update: { once: atSecondAttempt(updated(1)), forGood: unconfirmed(notUpdated(CLOSED, 0)) },
    delete: { once: atSecondAttempt(deleted(1)), forGood: unconfirmed(notDeleted(CLOSED, 0)) },
  },
  unclear("closed without a reply", AFTER, { wire: "closed" }, CLOSED),
  {
    fault: "closed in the middle of the reply's body",
    moment: AFTER,
    cause: { wire: "closed in the body" },
    ...incompleteReply("but"),
  },
  hanging("reply time-out", BEFORE, { fault: { kind: "hang", commit: false } }),
  hanging("reply time-out", AFTER, { fault: { kind: "hang", commit } }),
  hanging("reply whose head trickles, byte by byte", AFTER, { wire: "slow head" }),
  {
    fault: "reply whose body trickles, byte by byte",
    moment: AFTER,
    cause: { fault: { kind: "slow", intervalMilliseconds: 500 } },
    hangs: true,
    ...incompleteReply("but no complete response within"),
  },
];
