import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { behaviorTexts } from "../../simulator/src/behavior.js";
import { readReason } from "../../src/client/reason.js";
import { create, SimulatedApi } from "./simulated-api.js";

/** Each line is a form, the body of a refusal, and what is printed of it. */
const FORMS = readFileSync(join(import.meta.dirname, "reason-forms.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" | "));

const bodyOf = (reply: unknown) => (typeof reply === "string" ? reply : JSON.stringify(reply));

describe("the reason in a reply", () => {
  it.each(FORMS)("is read from %s", (_form, body = "", shown) => {
    expect(readReason(body, []) ?? "–").toBe(shown);
  });

  it("is the title of a long web page, and none in nothing", () => {
    const page = `<html><title>Sign in</title>${"<p>No way</p>".repeat(100)}</html>`;
    expect([readReason(page, []), readReason("", [])]).toEqual(["Sign in", undefined]);
  });

  it("is shown in each shape of the simulator that has one", async () => {
    await using api = await SimulatedApi.start();
    const client = api.clientWith();
    await create(client);
    for (const { form, key } of behaviorTexts(api.simulator.behavior).filter(
      ({ key }) => key === "errorShape",
    ))
      for (const shape of form.split(" | ")) {
        Object.assign(api.simulator.behavior, { duplicateUrls: "refused", [key]: shape });
        const { message } = await create(client).catch((error) => error);
        if (shape === "html") expect(message).toContain(`The page says: 422 Unprocessable Entity.`);
        else if (shape === "empty")
          expect(message).toContain(
            "no reason can be shown. To see all of its reply to a webhook of the doctor's own, run npx pulumi-webhooks doctor --verbose --stack <name>.",
          );
        else expect(message).toContain("The url has already been taken. The API rejected the request.");
      }
  });

  it.each(["secret", "hmac_key", "signature", "pwd", "token"])("shows no generated %s", (key) => {
    const generated = { [key]: "four words and more" };
    const reply = { ...generated, message: "No.", data: { id: 7, ...generated, webhook: generated } };
    const replied = { ...reply, error: generated, body: JSON.stringify(generated) };
    expect(readReason(bodyOf(replied), [])).toBe("No.");
    expect(readReason(`<webhook><id>7</id><${key}>four words</${key}></webhook>`, [])).toBeUndefined();
  });

  it.each([
    [{ errors: ["It is cor rec", "tho rse."] }, "correct-horse-battery"],
    [{ errors: { url: "mot", name: "dep", enabled: "ass e" } }, "motdepasse"],
    [{ errors: { "correct-horse": ["is new"] } }, "correct-horse-battery", "is new"],
    [{ code: "correct_horse" }, "correct-horse-battery"],
  ])("hides a secret in several texts, in a name, and in a code: %j", (reply, secret, shown?: string) => {
    expect(readReason(bodyOf(reply), [secret])).toBe(shown);
  });

  it("is found in a reply of any depth and size", () => {
    const deep = JSON.parse("[".repeat(1000) + "]".repeat(1000));
    const long = "x-1 ".repeat(250_000);
    const reply = { message: "No.", errors: [deep, long, ...Array(300_000).fill(0)] };
    expect(readReason(bodyOf(reply), [])).toBe("No.");
    expect(readReason("<p>".repeat(300_000), [])).toBeUndefined();
  });
});
