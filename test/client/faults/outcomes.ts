// What must follow a fault, in the words that many rows share. `{path}` in a text is the operation's own.

import type { Operation, Outcome, Row } from "./row.ts";

const CREATE = "/webhooks";
const UPDATE = "/webhooks/update";
const DELETE = "/webhooks/delete";

export const created = (requests: number): Outcome => ({
  again: requests > 1,
  requests,
  ends: "success",
  atApi: "one webhook",
  state: "the webhook",
});
export const notCreated = (says: string, requests: Outcome["requests"] = 1): Outcome => ({
  again: requests !== 1,
  requests,
  ends: "failed",
  atApi: "no webhook",
  state: "nothing",
  says: says.replace("{path}", CREATE),
});
export const inDoubt = (atApi: "no webhook" | "one webhook", says: string, requests = 1): Outcome => ({
  again: false,
  requests,
  ends: "in doubt",
  atApi,
  state: "in doubt",
  says: says.replace("{path}", CREATE),
});

export const updated = (requests: number): Outcome => ({
  again: requests > 1,
  requests,
  ends: "success",
  atApi: "as declared",
  state: "as declared",
});
export const notUpdated = (
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

export const deleted = (requests: number): Outcome => ({
  again: requests > 1,
  requests,
  ends: "success",
  atApi: "no webhook",
  state: "nothing",
});
/** The API replies that there is no such webhook: most often, the first request deleted it. */
export const foundDeleted = (requests: number): Outcome => ({
  again: requests > 1,
  requests,
  ends: "gone",
  atApi: "no webhook",
  state: "nothing",
});
export const notDeleted = (
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
/** It may have taken effect, and the API did not confirm it. */
export const unconfirmed = (outcome: Outcome): Outcome => ({
  ...outcome,
  ends: "unconfirmed",
  // A webhook that was to be deleted stays recorded, and the next up deletes it.
  state: outcome.atApi.startsWith("as") ? "as before, unconfirmed" : "as before",
});
/** The first attempt does not reach the API, the second succeeds. */
export const atSecondAttempt = (outcome: Outcome): Outcome => ({ ...outcome, again: true });

/** The request does not reach the API at first, or never. */
export const unsent = (says: string): Pick<Row, Operation> => ({
  create: { once: atSecondAttempt(created(1)), forGood: notCreated(says, 0) },
  update: { once: atSecondAttempt(updated(1)), forGood: notUpdated(says, 0) },
  delete: { once: atSecondAttempt(deleted(1)), forGood: notDeleted(says, 0) },
});

/** The request never reaches the API. */
export const neverSent = (says: string): Pick<Row, Operation> => ({
  create: { forGood: notCreated(says, 0) },
  update: { forGood: notUpdated(says, 0) },
  delete: { forGood: notDeleted(says, 0) },
});

/** The API refuses it for good. */
export const refused = (says: string): Pick<Row, Operation> => ({
  create: { once: notCreated(says) },
  update: { once: notUpdated(says) },
  delete: { once: notDeleted(says) },
});

/** The API refuses it for now. */
export const refusedForNow = (says: string): Pick<Row, Operation> => ({
  create: { once: created(2), forGood: notCreated(says, "several") },
  update: { once: updated(2), forGood: notUpdated(says, "several") },
  delete: { once: deleted(2), forGood: notDeleted(says, "several") },
});

/** It is sent again after the wait that the API asks for. */
export const retriedAfterWait: Pick<Row, Operation> = {
  create: { once: created(2) },
  update: { once: updated(2) },
  delete: { once: deleted(2) },
};

/** An update or a delete took no effect, which the client cannot know. */
export const safeToRepeat = (
  says: string,
  requests: Outcome["requests"] = "several",
): Pick<Row, "update" | "delete"> => ({
  update: { once: updated(2), forGood: unconfirmed(notUpdated(says, requests)) },
  delete: { once: deleted(2), forGood: unconfirmed(notDeleted(says, requests)) },
});

/** An update or a delete took effect, which the client cannot know. */
export const safeToRepeatAfterCommit = (
  says: string,
  requests: Outcome["requests"] = "several",
): Pick<Row, "update" | "delete"> => ({
  update: { once: updated(2), forGood: unconfirmed(notUpdated(says, requests, "as declared")) },
  delete: { once: foundDeleted(2), forGood: unconfirmed(notDeleted(says, requests, "no webhook")) },
});

/** The API replies that it took no effect, and it did. */
export const deniedAfter = (says: string): Pick<Row, Operation> => ({
  create: { once: { ...created(2), atApi: "two webhooks", id: "2" } },
  update: { once: updated(2), forGood: notUpdated(says, "several", "as declared") },
  delete: { once: foundDeleted(2), forGood: notDeleted(says, "several", "no webhook") },
});

/**
 * It took effect, and the body of the reply is damaged, but not its status: the second delete gets a damaged 404, which
 * may not be the API's own.
 */
export const damagedReply = (says: string, requests: Outcome["requests"] = 3): Pick<Row, Operation> => ({
  create: { once: inDoubt("one webhook", `201 Created from POST {path}, ${says}`) },
  update: {
    once: updated(2),
    forGood: unconfirmed(notUpdated(`200 OK from POST {path}, ${says}`, requests, "as declared")),
  },
  delete: {
    once: foundDeleted(2),
    forGood: unconfirmed(notDeleted("404 Not Found from POST {path}", 2, "no webhook")),
  },
});

/** The body of the reply breaks off, and an update or a delete is sent again until the deadline. */
export const incompleteReply = (says: string) => damagedReply(says, "several");
