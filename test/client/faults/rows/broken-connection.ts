import { commit } from "../causes.ts";
import {
  atSecondAttempt,
  deleted,
  incompleteReply,
  inDoubt,
  notDeleted,
  notUpdated,
  safeToRepeat,
  safeToRepeatAfterCommit,
  unconfirmed,
  updated,
} from "../outcomes.ts";
import type { Row } from "../row.ts";

/** The connection breaks, or no reply comes. */
export const brokenConnection: readonly Row[] = [
  {
    fault: "reset before the request was read",
    cause: { fault: { kind: "reset", when: "before reading" } },
    create: { once: inDoubt("no webhook", "no response from POST {path}") },
    ...safeToRepeat("no response from POST {path}"),
  },
  {
    fault: "reset",
    moment: "before the commit",
    cause: { fault: { kind: "reset", when: "before commit" } },
    create: { once: inDoubt("no webhook", "no response from POST {path}") },
    ...safeToRepeat("no response from POST {path}"),
  },
  {
    fault: "reset",
    moment: "after the commit",
    cause: { fault: { kind: "reset", when: "after commit" } },
    create: { once: inDoubt("one webhook", "no response from POST {path}") },
    ...safeToRepeatAfterCommit("no response from POST {path}"),
  },
  {
    fault: "reset in the middle of the reply's body",
    moment: "after the commit",
    cause: { fault: { kind: "reset", when: "in reply" } },
    ...incompleteReply("but"),
  },
  {
    fault: "closed without a reply",
    moment: "before the commit",
    cause: { wire: "closed unread" },
    create: { once: inDoubt("no webhook", "no response from POST {path}: other side closed", 0) },
    update: {
      once: atSecondAttempt(updated(1)),
      forGood: unconfirmed(notUpdated("no response from POST {path}: other side closed", 0)),
    },
    delete: {
      once: atSecondAttempt(deleted(1)),
      forGood: unconfirmed(notDeleted("no response from POST {path}: other side closed", 0)),
    },
  },
  {
    fault: "closed without a reply",
    moment: "after the commit",
    cause: { wire: "closed" },
    create: { once: inDoubt("one webhook", "no response from POST {path}: other side closed") },
    ...safeToRepeatAfterCommit("no response from POST {path}: other side closed"),
  },
  {
    fault: "closed in the middle of the reply's body",
    moment: "after the commit",
    cause: { wire: "closed in the body" },
    ...incompleteReply("but"),
  },
  {
    fault: "reply time-out",
    moment: "before the commit",
    cause: { fault: { kind: "hang", commit: false } },
    hangs: true,
    create: { once: inDoubt("no webhook", "no response from POST {path}: no complete response within 1 s") },
    ...safeToRepeat("no response from POST {path}: no complete response within"),
  },
  {
    fault: "reply time-out",
    moment: "after the commit",
    cause: { fault: { kind: "hang", commit } },
    hangs: true,
    create: { once: inDoubt("one webhook", "no response from POST {path}: no complete response within 1 s") },
    ...safeToRepeatAfterCommit("no response from POST {path}: no complete response within"),
  },
  {
    fault: "reply whose head trickles, byte by byte",
    moment: "after the commit",
    cause: { wire: "slow head" },
    hangs: true,
    create: { once: inDoubt("one webhook", "no response from POST {path}: no complete response within 1 s") },
    ...safeToRepeatAfterCommit("no response from POST {path}: no complete response within"),
  },
  {
    fault: "reply whose body trickles, byte by byte",
    moment: "after the commit",
    cause: { fault: { kind: "slow", intervalMilliseconds: 100 } },
    hangs: true,
    ...incompleteReply("but no complete response within"),
  },
];
