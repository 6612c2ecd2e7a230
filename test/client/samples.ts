// What the tests of the client send.

/** Fake, and looked for in every message. */
export const KEY = "key-canary-4711";
/** Fake, and looked for in every message. */
export const SECRET = "whsec-canary-0815";

/** The settings of a client that a test does not change. */
export const SETTINGS = {
  apiKey: KEY,
  allowHttp: true,
  drift: "off",
  ignoreUpdatedAt: false,
  timeoutSeconds: 30,
  deadlineSeconds: 60,
  maxConnections: 8,
} as const;

/** A declared webhook. */
export const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };
