// What the tests of the client send.

/** Fake, and looked for in every message. */
export const KEY = "key-canary-4711";
/** Fake, and looked for in every message. */
export const SECRET = "whsec-canary-0815";

/** A declared webhook. */
export const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };
