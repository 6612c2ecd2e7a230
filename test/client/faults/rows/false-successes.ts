import { commit, status } from "../causes.ts";
import { deleted, inDoubt, notDeleted, safeToRepeat, unclear, unconfirmed } from "../outcomes.ts";
import type { Row } from "../row.ts";

/** Both moments of a 200 with this body, which is no success. */
const falseSuccess = (fault: string, body: string, problem: string): Row[] => [
  unclear(fault, "before the commit", status(200, { body }), `200 OK from POST {path}, ${problem}`, 3),
  unclear(fault, "after the commit", status(200, { body, commit }), `200 OK from POST {path}, ${problem}`, 3),
];

const FAILED = "but the reply says that the request failed";
const OTHER = "but the reply is about another webhook";
const NOT_CREATED =
  "202 Accepted from POST {path}, but this status does not mean that the webhook was created";

/** A 2xx in JSON that is not the success which the API documents. */
export const falseSuccesses: readonly Row[] = [
  ...falseSuccess("200 with an error inside", '{"success":false,"error":{"code":17}}', FAILED),
  ...falseSuccess("200 with status false", '{"status":false,"message":"The webhook is locked."}', FAILED),
  {
    fault: "200 with a message that does not confirm the delete",
    cause: status(200, { body: '{"data":{"message":"You may not delete this webhook."}}' }),
    delete: {
      once: deleted(2),
      forGood: unconfirmed(
        notDeleted("200 OK from POST {path}, but the reply does not say that the webhook was deleted", 3),
      ),
    },
  },
  {
    fault: "202 with the record of a webhook",
    moment: "before the commit",
    cause: status(202, { body: '{"data":{"webhook":{"id":7,"name":"Orders"}}}' }),
    create: { once: inDoubt("no webhook", NOT_CREATED) },
  },
  {
    fault: "202 with the record of a webhook",
    moment: "after the commit",
    cause: status(202, { body: '{"data":{"webhook":{"id":1,"name":"Orders"}}}', commit }),
    create: { once: inDoubt("one webhook", NOT_CREATED) },
  },
  ...falseSuccess(
    "200 with another webhook's record",
    '{"data":{"webhook":{"id":7,"name":"Invoices"}}}',
    OTHER,
  ),
  {
    fault: "200 with {}",
    moment: "before the commit",
    cause: status(200, { body: "{}" }),
    create: { once: inDoubt("no webhook", "200 OK from POST {path}, but the reply has no usable id") },
    ...safeToRepeat("200 OK from POST {path}, but the reply has no", 3),
  },
];
