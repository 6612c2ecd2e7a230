import { expect, it } from "vitest";
import { WebhookError } from "../../src/wording/errors.js";

it("makes an error well-formed text, whatever it is made of", () => {
  const error = new WebhookError({ summary: "Trying \ud83d", detail: "\ude00" });
  expect(error.message).toBe("Trying \ufffd: \ufffd");
  expect(String(error)).toBe("Trying \ufffd");
  expect(error.detail).toBe("\ufffd");
  expect(error.stack, "which the SDK prints").toBe("see its error.");
});
