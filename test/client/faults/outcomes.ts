// What must follow a fault, in the words that many rows share. `{path}` in a text is the operation's own.

import type { Operation, Outcome, Row } from "./row.ts";

const succeeded =
  (atApi: Outcome["atApi"], state: Outcome["state"]) =>
  (requests: number): Outcome => ({ again: requests > 1, requests, ends: "success", atApi, state });

export const created = succeeded("one webhook", "the webhook");
export const updated = succeeded("as declared", "as declared");
export const deleted = succeeded("no webhook", "nothing");
/** The API replies that there is no such webhook: most often, the first request deleted it. */
export const foundDeleted = (requests: number): Outcome => ({ ...deleted(requests), ends: "gone" });

const failed =
  (path: string, unchanged: Outcome["atApi"], state: Outcome["state"]) =>
  (says: string, requests: Outcome["requests"] = 1, atApi = unchanged): Outcome => ({
    again: requests !== 1,
    requests,
    ends: "failed",
    atApi,
    state,
    says: says.replace("{path}", path),
  });

export const notCreated = failed("/webhooks", "no webhook", "nothing");
export const notUpdated = failed("/webhooks/update", "as before", "as before");
export const notDeleted = failed("/webhooks/delete", "one webhook", "as before");
/** It is unknown whether it took effect, and a create is never sent again. */
export const inDoubt = (atApi: "no webhook" | "one webhook", says: string, requests = 1): Outcome => ({
  ...notCreated(says, requests, atApi),
  again: false,
  ends: "in doubt",
  state: "in doubt",
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

/** A fault after which it cannot be known whether a request took effect. `requests`: of an update or a delete, if it stays. */
export const unclear = (
  fault: string,
  moment: NonNullable<Row["moment"]>,
  cause: Row["cause"],
  says: string,
  requests?: Outcome["requests"],
): Row => ({
  fault,
  moment,
  cause,
  create: { once: inDoubt(moment === "after the commit" ? "one webhook" : "no webhook", says) },
  ...(moment === "after the commit" ? safeToRepeatAfterCommit(says, requests) : safeToRepeat(says, requests)),
});
