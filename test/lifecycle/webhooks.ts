import type { Past } from "../../src/record/past.js";
import { SEEN_BY, seenByOf } from "../../src/record/seen-by.js";

export const API_KEY = "key-canary-4711";
export const SECRET = "whsec-canary-0815";
/** A declared webhook. */
export const orders = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };
/** One with a secret. */
export const withSecret = { ...orders, secret: SECRET };

/** The mark that the API key leaves in the record of a webhook. */
export const seen = () => ({ [SEEN_BY]: seenByOf(API_KEY) });

/** The URN of its resource. */
export const ORDERS = "urn:pulumi:dev::test::a::orders";

export const IN_DOUBT = "in-doubt:2026-01-01T12:00:00.000Z-abcd";

/** What the state can say of a resource, with webhook 1 where there is one. */
export const PASTS = {
  unread: { kind: "unread" },
  new: { kind: "new" },
  known: { kind: "known", id: "1" },
  "sent again": { kind: "known", id: "1", condition: "sent again" },
  deleted: { kind: "known", id: "1", condition: "deleted" },
  imported: { kind: "known", id: "1", condition: "imported" },
  unresolved: { kind: "unresolved" },
} as const satisfies Record<string, Past>;
