import { expect } from "vitest";
import { WebhookError } from "../../src/wording/errors.js";

/** Waits for an operation that must fail. @returns its error, and how long it took. */
export async function failureOf(operation: Promise<unknown>): Promise<WebhookError & { seconds: number }> {
  const startedAt = performance.now();
  try {
    await operation;
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return Object.assign(error, { seconds: (performance.now() - startedAt) / 1000 });
  }
  return expect.fail("it succeeded");
}
