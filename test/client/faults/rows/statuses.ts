import { STATUS_CODES } from "node:http";
import { SECRET } from "../../samples.ts";
import {
  deniedAfter,
  fails,
  foundDeleted,
  refused,
  refusedForNow,
  retriedAfterWait,
  triedAFewTimes,
  unclear,
  unclearAfter,
} from "../outcomes.ts";
import { commit, html, type Line, type Row, status } from "../row.ts";

const MESSAGE = "The API's message: A fault requested this.";
const EXHAUSTED = "The API's rate limit is exhausted";
const LONGER = "The API asks to wait 31536000 s, longer than webhooks:deadlineSeconds.";
const TOO_EARLY = "425 Too Early from POST {path}";
const WEB_PAGE = "with a web page instead of the API's JSON";
const FAILED = "500 Internal Server Error from POST {path}";
const WRONG_KEY =
  "401 Unauthorized from POST {path}. The API's message: A fault requested this. The API key was refused. Set the right one: pulumi config set --secret webhooks:apiKey --stack <name>.";
const STORED_KEY = `${WRONG_KEY} (Without --run-program, a destroy and a refresh use the settings of the last up.)`;
const FORBIDDEN =
  "The API key may lack the permission to manage webhooks, or a firewall has refused the request. Check that webhooks:baseUrl,";
const UNKNOWN_ID =
  "If the dashboard lacks the webhook, this status means an unknown id: run pulumi config set webhooks:unknownIdStatus 422 --stack <name>";
const TIMED_OUT = "408 Request Timeout from POST {path}";
const REJECTED = "The API rejected the request. Correct what its message or the dashboard reports.";
const UNAVAILABLE = "503 Service Unavailable from POST {path}";
const ONE_AT_A_TIME =
  "If the API accepts one change at a time, run pulumi config set webhooks:maxConnections 1 --stack <name>.";
const NOT_FOUND_YET = "It is less than two minutes old, and the API may find it later.";
const OTHER_KEY = "another API key saw it last";
const NO_ROUTE =
  "404 Not Found from POST {path}, with a web page instead of the API's JSON. The page says: Oops.";
const NO_SUCH_WEBHOOK = "The API has no webhook with this id";
const invalid = JSON.stringify({
  message: "The given data was invalid.",
  errors: { url: ["The url must be https."], secret: [`The secret ${SECRET} is too short.`] },
});

const notCreated = (says: string): Partial<Row> => ({ create: { once: fails("create", says) } });
/** The API replies that the webhook does not exist, though it does. */
const believedGone = (lasts: "once" | "forGood", requests: number): Partial<Row> => ({
  assumption: true,
  update: { [lasts]: fails("update", NO_SUCH_WEBHOOK, { ends: "gone", requests }) },
  delete: { [lasts]: { ...foundDeleted(requests), atApi: "one webhook" } },
});
/** The API has no such webhook. */
const missing = { ends: "gone", requests: 5, atApi: "no webhook" } as const;

/** The API may not find the webhook, or refuse what was sent. */
const unknownId: Partial<Row> = {
  update: { once: fails("update", UNKNOWN_ID) },
  delete: { once: fails("delete", UNKNOWN_ID) },
};

/** The API asks to try later. */
const tryLater: Line[] = [
  ["408", status(408), unclear(TIMED_OUT)],
  ["408", status(408, { commit }), unclearAfter(TIMED_OUT)],
  [
    "425",
    status(425),
    {
      ...refusedForNow(TOO_EARLY),
      ...notCreated(`${TOO_EARLY}. ${MESSAGE} The API is temporarily unavailable`),
    },
  ],
  ["429 without Retry-After", status(429), refusedForNow(EXHAUSTED)],
  ["429 with Retry-After in seconds", status(429, { retryAfter: "1" }), retriedAfterWait],
  ["429 with Retry-After of a year", status(429, { retryAfter: "31536000" }), refused(LONGER)],
  ["403 with Retry-After, which means a rate limit", status(403, { retryAfter: "1" }), retriedAfterWait],
  ["429, though it was carried out", status(429, { commit }), deniedAfter(EXHAUSTED)],
];

/** Both moments of a failure. */
const both = (fault: string, code: number, says: string, body = {}): Line[] => [
  [fault, status(code, body), unclear(says)],
  [fault, status(code, { ...body, commit }), unclearAfter(says)],
];

/** The API fails. */
const serverErrors: Line[] = [
  ...both("500", 500, FAILED),
  ["500 with Retry-After", status(500, { retryAfter: "0" }), unclear(FAILED)],
  ...both("502 with HTML", 502, "502 Bad Gateway from POST {path}, with a web page", html),
  ...both("503 without Retry-After", 503, UNAVAILABLE),
  ["503 with Retry-After in seconds", status(503, { retryAfter: "1" }), retriedAfterWait],
  ["503 with Retry-After that cannot be read", status(503, { retryAfter: "soon" }), unclear(UNAVAILABLE)],
  ["503 with Retry-After, yet done", status(503, { retryAfter: "0", commit }), deniedAfter(UNAVAILABLE)],
  ...both("504", 504, "504 Gateway Timeout from POST {path}"),
];

/** The API refuses the request. */
const refusals: Line[] = [
  ["400", status(400), refused(`400 Bad Request from POST {path}. ${MESSAGE} ${REJECTED}`)],
  ["401", status(401), { ...refused(WRONG_KEY), delete: { once: fails("delete", STORED_KEY) } }],
  ["403", status(403), refused(`403 Forbidden from POST {path}. ${MESSAGE} ${FORBIDDEN}`)],
  [
    "403 with HTML, as of a firewall",
    status(403, html),
    refused(`403 Forbidden from POST {path}, ${WEB_PAGE}. The page says: Oops. ${FORBIDDEN}`),
  ],
  [
    "404 in JSON, the webhook is missing",
    { missing: true },
    {
      update: { forGood: fails("update", NO_SUCH_WEBHOOK, missing) },
      delete: { forGood: foundDeleted(5) },
    },
  ],
  [
    "404 in JSON, the webhook is missing, to a key that has not seen it",
    { missing: true },
    {
      recorded: "seen by another key",
      update: { forGood: fails("update", OTHER_KEY, missing) },
      // It is asked by an update with the id alone.
      delete: { forGood: fails("delete", OTHER_KEY, missing) },
    },
  ],
  [
    "404 in JSON",
    status(404),
    notCreated(`404 Not Found from POST {path}. ${MESSAGE} Check that webhooks:baseUrl,`),
  ],
  ["404 in JSON, though the webhook exists", status(404), { ...retriedAfterWait, create: {} }],
  ["404 in JSON, though the webhook exists", status(404), believedGone("forGood", 5)],
  [
    "404 in JSON, though the webhook exists: it was created seconds ago",
    status(404),
    { recorded: "created seconds ago", delete: { forGood: fails("delete", NOT_FOUND_YET, { requests: 5 }) } },
  ],
  [
    "404 with HTML",
    status(404, html),
    { ...triedAFewTimes(NO_ROUTE), create: { once: fails("create", `${NO_ROUTE} Check that`) } },
  ],
  ["409", status(409), triedAFewTimes(`${REJECTED} ${ONE_AT_A_TIME}`)],
  ["423", status(423), triedAFewTimes(`${REJECTED} ${ONE_AT_A_TIME}`)],
  ["410 in JSON", status(410), notCreated("410 Gone from POST {path}")],
  ["410 in JSON, though the webhook exists", status(410), believedGone("once", 1)],
  ["410 with HTML", status(410, html), refused("410 Gone from POST {path}, with a web page")],
  ["422, which may mean an unknown id", status(422), unknownId],
  [
    "422 with errors by field, as Laravel has them",
    status(422, { body: invalid }),
    refused(
      "The API's message: The given data was invalid. The url must be https. The secret … is too short.",
    ),
  ],
  ...([301, 302, 303, 307, 308] as const).map((status): Line => {
    const says = `${status} ${STATUS_CODES[status]} from POST {path}.`;
    return [
      `${status} to another host`,
      // The same API by its other name: it would receive the request.
      {
        fault: (url) => ({
          kind: "status",
          status,
          headers: { location: url.replace("127.0.0.1", "localhost") },
        }),
      },
      // After a POST that was processed, a 303 names the page of its result.
      status === 303
        ? unclear(says, 5)
        : refused(`${says} ${MESSAGE} The API redirects, and redirects are not followed.`),
    ];
  }),
];

export const statuses = [...tryLater, ...serverErrors, ...refusals];
