import type { Past } from "../../src/stack/past.js";

export const API_KEY = "key-canary-4711";
export const SECRET = "whsec-canary-0815";
/** A declared webhook. */
export const orders = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };
/** One with a secret. */
export const withSecret = { ...orders, secret: SECRET };

const sentAt = "2026-01-01T12:00:00Z";

/** What the state can say of a resource, with webhook 1 where there is one. */
export const PASTS = {
  unread: { kind: "unread" },
  new: { kind: "new" },
  known: { kind: "known", id: "1" },
  "cut off": { kind: "known", id: "1", sendAgain: true },
  deleted: { kind: "known", id: "1", isDeleted: true },
  entered: { kind: "unconfirmed", id: "1", by: "resolve", sent: { name: "Orders", at: sentAt } },
  imported: { kind: "unconfirmed", id: "1", by: "import" },
  "in doubt": { kind: "unresolved", name: "Orders", sentAt },
} as const satisfies Record<string, Past>;

/** The marks in the record of each unconfirmed id. */
export const ENTERED = { unconfirmed: true, inDoubtId: "in-doubt:2026-01-01T12:00:00.000Z-abcd" };
export const IMPORTED = { unconfirmed: true, imported: true };
