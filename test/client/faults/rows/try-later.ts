import { commit, inSeconds, status } from "../causes.ts";
import { deniedAfter, notCreated, refused, refusedForNow, retriedAfterWait, unclear } from "../outcomes.ts";
import type { Row } from "../row.ts";

/** The API asks to try later. */
export const tryLater: readonly Row[] = [
  unclear("408", "before the commit", status(408), "408 Request Timeout from POST {path}"),
  unclear("408", "after the commit", status(408, { commit }), "408 Request Timeout from POST {path}"),
  {
    fault: "425",
    cause: status(425),
    ...refusedForNow("425 Too Early from POST {path}"),
    create: { once: notCreated("425 Too Early from POST {path}. The API is temporarily unavailable") },
  },
  {
    fault: "429 without Retry-After",
    cause: status(429),
    ...refusedForNow("The API's rate limit is exhausted"),
  },
  {
    fault: "429 with Retry-After in seconds",
    cause: status(429, { retryAfter: "1" }),
    ...retriedAfterWait,
  },
  {
    fault: "429 with Retry-After as a date",
    cause: { fault: () => ({ kind: "status", status: 429, retryAfter: inSeconds(2) }) },
    ...retriedAfterWait,
  },
  {
    fault: "429 with Retry-After in the past",
    cause: status(429, { retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT" }),
    ...refusedForNow("The API's rate limit is exhausted"),
  },
  {
    fault: "429 with Retry-After that cannot be read",
    cause: status(429, { retryAfter: "soon" }),
    ...refusedForNow("The API's rate limit is exhausted"),
  },
  {
    fault: "429 with Retry-After of a year",
    cause: status(429, { retryAfter: "31536000" }),
    ...refused("The API asks to wait 31536000 s, longer than webhooks:deadlineSeconds."),
  },
  {
    fault: "403 with Retry-After, which means a rate limit",
    cause: status(403, { retryAfter: "1" }),
    ...retriedAfterWait,
  },
  {
    fault: "403 with x-ratelimit-remaining: 0",
    cause: status(403, { headers: { "x-ratelimit-remaining": "0" } }),
    ...refusedForNow("403 Forbidden from POST {path}"),
  },
  {
    fault: "420, which some APIs send in place of 429",
    cause: status(420),
    ...refusedForNow("The API's rate limit is exhausted"),
  },
  {
    fault: "429, though it was carried out",
    moment: "after the commit",
    cause: status(429, { commit }),
    assumption: true,
    ...deniedAfter("The API's rate limit is exhausted"),
  },
];
