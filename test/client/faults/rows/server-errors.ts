import { commit, html, status } from "../causes.ts";
import { deniedAfter, refusedForNow, retriedAfterWait, unclear } from "../outcomes.ts";
import type { Row } from "../row.ts";

const BEFORE = "before the commit";
const AFTER = "after the commit";
const UNAVAILABLE = "503 Service Unavailable from POST {path}";

/** Both moments of a failure. */
const both = (fault: string, code: number, says: string, body = {}): Row[] => [
  unclear(fault, BEFORE, status(code, body), says),
  unclear(fault, AFTER, status(code, { ...body, commit }), says),
];

/** The API fails. */
export const serverErrors: readonly Row[] = [
  ...both("500", 500, "500 Internal Server Error from POST {path}"),
  ...both("502 with HTML", 502, "502 Bad Gateway from POST {path}, with a web page", html),
  ...both("503 without Retry-After", 503, UNAVAILABLE),
  {
    fault: "503 with Retry-After in seconds",
    cause: status(503, { retryAfter: "1" }),
    ...retriedAfterWait,
  },
  {
    fault: "503 with Retry-After in the past",
    cause: status(503, { retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT" }),
    ...refusedForNow(UNAVAILABLE),
  },
  unclear(
    "503 with Retry-After that cannot be read",
    BEFORE,
    status(503, { retryAfter: "soon" }),
    UNAVAILABLE,
  ),
  unclear(
    "503 with a negative Retry-After, which cannot be read",
    BEFORE,
    status(503, { retryAfter: "-5" }),
    UNAVAILABLE,
  ),
  {
    fault: "503 with Retry-After, though it was carried out",
    moment: AFTER,
    cause: status(503, { retryAfter: "0", commit }),
    assumption: true,
    ...deniedAfter(UNAVAILABLE),
  },
  ...both("504", 504, "504 Gateway Timeout from POST {path}"),
];
