import { SECRET } from "../../samples.ts";
import { html, status } from "../causes.ts";
import { foundDeleted, notCreated, refused } from "../outcomes.ts";
import type { Row } from "../row.ts";

const KONG = { body: '{"message":"no Route matched with those values"}' };
const NO_SUCH_WEBHOOK = "The API has no webhook with this id";
const invalid = JSON.stringify({
  message: "The given data was invalid.",
  errors: { url: ["The url must be https."], secret: [`The secret ${SECRET} is too short.`] },
});

/** The API replies that the webhook does not exist, though it does. */
const believedGone: Pick<Row, "assumption" | "update" | "delete"> = {
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
};

/** The API refuses the request. */
export const refusals: readonly Row[] = [
  {
    fault: "400",
    cause: status(400),
    ...refused(
      "400 Bad Request from POST {path}. The API rejected the request. Fix what its message describes.",
    ),
  },
  {
    fault: "401",
    cause: status(401),
    ...refused("401 Unauthorized from POST {path}. The API key was refused"),
  },
  {
    fault: "403",
    cause: status(403),
    ...refused("403 Forbidden from POST {path}. The API key lacks the permission"),
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
    create: { once: notCreated("404 Not Found from POST {path}. Check that webhooks:baseUrl,") },
  },
  {
    fault: "404 in JSON, though the webhook exists",
    cause: status(404),
    ...believedGone,
  },
  {
    fault: "404 of a gateway in JSON, as Kong has it, though the webhook exists",
    cause: status(404, KONG),
    ...believedGone,
  },
  {
    fault: "404 of a gateway in JSON, as Kong has it",
    cause: status(404, KONG),
    create: { once: notCreated("The API's message: no Route matched with those values") },
  },
  {
    fault: "404 with HTML",
    cause: status(404, html),
    ...refused(
      "404 Not Found from POST {path}, with a web page instead of the API's JSON. Check that webhooks:baseUrl",
    ),
  },
  {
    fault: "409",
    cause: status(409),
    ...refused(
      "409 Conflict from POST {path}. The API rejected the request. Fix what its message describes.",
    ),
  },
  {
    fault: "410 in JSON",
    cause: status(410),
    create: { once: notCreated("410 Gone from POST {path}") },
  },
  {
    fault: "410 in JSON, though the webhook exists",
    cause: status(410),
    ...believedGone,
  },
  {
    fault: "410 with HTML",
    cause: status(410, html),
    ...refused("410 Gone from POST {path}, with a web page"),
  },
  {
    fault: "422 with errors by field, as Laravel has them",
    cause: status(422, { body: invalid }),
    ...refused("The API's message: (not shown: it may contain a secret or a webhook's URL)"),
  },
  ...([301, 302, 303, 307, 308] as const).map((redirect) => ({
    fault: `${redirect} to another host`,
    cause: { redirect },
    ...refused("and redirects are not followed"),
  })),
];
