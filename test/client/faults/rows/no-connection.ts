import { neverSent, unsent } from "../outcomes.ts";
import type { Row } from "../row.ts";

/** The request never reaches the API. */
export const noConnection: readonly Row[] = [
  {
    fault: "connection refused",
    cause: { wire: "refused" },
    ...unsent("refused the connection"),
  },
  {
    fault: "host not known to DNS",
    cause: { wire: "unknown host" },
    endsBeforeDeadline: true,
    ...neverSent("is unknown (DNS: ENOTFOUND). It was tried 3 times."),
  },
  {
    fault: "no connection in time",
    cause: { wire: "no connection" },
    hangs: true,
    ...neverSent("no request was sent"),
  },
  {
    fault: "TLS: the server speaks none",
    cause: { wire: "no TLS" },
    endsBeforeDeadline: true,
    ...neverSent("no request was sent: no secure connection to 127.0.0.1"),
  },
  {
    fault: "TLS: reset in the handshake",
    cause: { wire: "TLS reset" },
    ...neverSent("no request was sent"),
  },
  {
    fault: "TLS: handshake never answered",
    cause: { wire: "TLS silent" },
    hangs: true,
    ...neverSent("no request was sent"),
  },
];
