// What must follow a fault, in the words that many rows share. `{path}` in a text is the operation's own.
import type { Course, Operation, Outcome, Row } from "./row.ts";

const paths = { create: "/webhooks", update: "/webhooks/update", delete: "/webhooks/delete" };
/** What the API has, and what the state records, if an operation had no effect, and if it had. */
const without = {
  create: { atApi: "no webhook", state: "nothing" },
  update: { atApi: "as before", state: "as before" },
  delete: { atApi: "one webhook", state: "as before" },
} as const;
const withEffect = {
  create: { atApi: "one webhook", state: "the webhook" },
  update: { atApi: "as declared", state: "as declared" },
  delete: { atApi: "no webhook", state: "nothing" },
} as const;

type Courses = Pick<Row, Operation>;
const each = (course: (operation: Operation) => Course): Courses => ({
  create: course("create"),
  update: course("update"),
  delete: course("delete"),
});

export const succeeds = (operation: Operation, requests: number): Outcome => ({
  again: requests > 1,
  requests,
  ends: "success",
  ...withEffect[operation],
});
/** The API replies that there is no such webhook: most often, the first request deleted it. */
export const foundDeleted = (requests: number): Outcome => ({
  ...succeeds("delete", requests),
  ends: "gone",
});
export const fails = (operation: Operation, says: string, more: Partial<Outcome> = {}): Outcome => ({
  again: (more.requests ?? 1) !== 1,
  requests: 1,
  ends: "no effect",
  ...without[operation],
  says: says.replace("{path}", paths[operation]),
  ...more,
});
/** It is unknown whether it took effect, and a create is never sent again. */
export const inDoubt = (says: string, more: Partial<Outcome> = {}): Course => ({
  once: fails("create", says, { ends: "unresolved", state: "unresolved", again: false, ...more }),
});
/** It may have taken effect, and the API did not confirm it. An unclear delete is recorded as before. */
export const mayBeDone = (operation: "update" | "delete", says: string, more: Partial<Outcome>): Outcome =>
  fails(operation, says, {
    ends: "unclear",
    ...(operation === "update" && { state: "as before, sent again" }),
    ...more,
  });
/** The first attempt does not reach the API, the second succeeds. */
export const atSecondAttempt = (operation: Operation): Outcome => ({
  ...succeeds(operation, 1),
  again: true,
});

/** The request does not reach the API at first, or never. */
export const unsent = (says: string) =>
  each((operation) => ({ once: atSecondAttempt(operation), ...neverSent(says)[operation] }));
/** The request never reaches the API. */
export const neverSent = (says: string) =>
  each((operation) => ({ forGood: fails(operation, says, { requests: 0 }) }));
/** The API refuses it for good. */
export const refused = (says: string) => each((operation) => ({ once: fails(operation, says) }));
/** The API refuses it for now. */
export const refusedForNow = (says: string) =>
  each((operation) => ({
    once: succeeds(operation, 2),
    forGood: fails(operation, says, { requests: "several" }),
  }));
/** The API refuses it, and that may pass soon: it is sent again a few times. */
export const triedAFewTimes = (says: string) =>
  each((operation) => ({
    once: succeeds(operation, 2),
    forGood: fails(operation, says, { requests: 5 }),
  }));
/** It is sent again after the wait that the API asks for. */
export const retriedAfterWait = each((operation) => ({ once: succeeds(operation, 2) }));
/** It takes effect, and its reply is read. */
export const understood = each((operation) => ({ once: succeeds(operation, 1) }));

/** It cannot be known whether it took effect. `requests`: of an update or a delete, if the fault stays. */
const uncertain =
  (isDone: boolean) =>
  (says: string, requests: Outcome["requests"] = "several") => {
    const at = (operation: Operation) => ({ atApi: (isDone ? withEffect : without)[operation].atApi });
    const forGood = (operation: "update" | "delete") =>
      mayBeDone(operation, says, { requests, ...at(operation) });
    return {
      moment: isDone ? "after the commit" : "before the commit",
      create: inDoubt(says, at("create")),
      update: { once: succeeds("update", 2), forGood: forGood("update") },
      delete: { once: isDone ? foundDeleted(2) : succeeds("delete", 2), forGood: forGood("delete") },
    } satisfies Partial<Row>;
  };
/** It did not. */
export const unclear = uncertain(false);
/** It did. */
export const unclearAfter = uncertain(true);
/**
 * It took effect, and the body of the reply is damaged, but not its status: further deletes get a damaged 404, which may
 * not be the API's own.
 */
export const damagedReply = (says: string, requests: Outcome["requests"] = 5) => {
  const after = unclearAfter(`200 OK from POST {path}, ${says}`, requests);
  const notFound = { requests, atApi: "no webhook" } as const;
  return {
    ...after,
    create: inDoubt(`201 Created from POST {path}, ${says}`, { atApi: "one webhook" }),
    delete: { ...after.delete, forGood: mayBeDone("delete", "404 Not Found from POST {path}", notFound) },
  };
};
/** The API replies that it took no effect, and it did. */
export const deniedAfter = (says: string): Partial<Row> => ({
  moment: "after the commit",
  assumption: true,
  create: { once: { ...succeeds("create", 2), atApi: "two webhooks", id: "2" } },
  update: {
    once: succeeds("update", 2),
    forGood: fails("update", says, { requests: "several", atApi: "as declared" }),
  },
  delete: {
    once: foundDeleted(6),
    forGood: fails("delete", says, { requests: "several", atApi: "no webhook" }),
  },
});
