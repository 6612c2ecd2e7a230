import { commit, html, status } from "../causes.ts";
import {
  deniedAfter,
  inDoubt,
  refusedForNow,
  retriedAfterWait,
  safeToRepeat,
  safeToRepeatAfterCommit,
} from "../outcomes.ts";
import type { Row } from "../row.ts";

/** The API fails. */
export const serverErrors: readonly Row[] = [
  {
    fault: "500",
    moment: "before the commit",
    cause: status(500),
    create: { once: inDoubt("no webhook", "500 Internal Server Error from POST {path}") },
    ...safeToRepeat("500 Internal Server Error from POST {path}"),
  },
  {
    fault: "500",
    moment: "after the commit",
    cause: status(500, { commit }),
    create: { once: inDoubt("one webhook", "500 Internal Server Error from POST {path}") },
    ...safeToRepeatAfterCommit("500 Internal Server Error from POST {path}"),
  },
  {
    fault: "502 with HTML",
    moment: "before the commit",
    cause: status(502, html),
    create: { once: inDoubt("no webhook", "502 Bad Gateway from POST {path}, with a web page") },
    ...safeToRepeat("502 Bad Gateway from POST {path}, with a web page"),
  },
  {
    fault: "502 with HTML",
    moment: "after the commit",
    cause: status(502, { ...html, commit }),
    create: { once: inDoubt("one webhook", "502 Bad Gateway from POST {path}, with a web page") },
    ...safeToRepeatAfterCommit("502 Bad Gateway from POST {path}, with a web page"),
  },
  {
    fault: "503 without Retry-After",
    moment: "before the commit",
    cause: status(503),
    create: { once: inDoubt("no webhook", "503 Service Unavailable from POST {path}") },
    ...safeToRepeat("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 without Retry-After",
    moment: "after the commit",
    cause: status(503, { commit }),
    create: { once: inDoubt("one webhook", "503 Service Unavailable from POST {path}") },
    ...safeToRepeatAfterCommit("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 with Retry-After in seconds",
    cause: status(503, { retryAfter: "1" }),
    ...retriedAfterWait,
  },
  {
    fault: "503 with Retry-After in the past",
    cause: status(503, { retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT" }),
    ...refusedForNow("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 with Retry-After that cannot be read",
    cause: status(503, { retryAfter: "soon" }),
    create: { once: inDoubt("no webhook", "503 Service Unavailable from POST {path}") },
    ...safeToRepeat("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 with a negative Retry-After, which cannot be read",
    cause: status(503, { retryAfter: "-5" }),
    create: { once: inDoubt("no webhook", "503 Service Unavailable from POST {path}") },
    ...safeToRepeat("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "503 with Retry-After, though it was carried out",
    moment: "after the commit",
    cause: status(503, { retryAfter: "0", commit }),
    assumption: true,
    ...deniedAfter("503 Service Unavailable from POST {path}"),
  },
  {
    fault: "504",
    moment: "before the commit",
    cause: status(504),
    create: { once: inDoubt("no webhook", "504 Gateway Timeout from POST {path}") },
    ...safeToRepeat("504 Gateway Timeout from POST {path}"),
  },
  {
    fault: "504",
    moment: "after the commit",
    cause: status(504, { commit }),
    create: { once: inDoubt("one webhook", "504 Gateway Timeout from POST {path}") },
    ...safeToRepeatAfterCommit("504 Gateway Timeout from POST {path}"),
  },
];
