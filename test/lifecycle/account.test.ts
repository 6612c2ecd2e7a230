import { expect, it } from "vitest";
import { isRecorded } from "../../src/lifecycle/account.js";
import { Session } from "../../src/lifecycle/session.js";
import type { Known } from "../../src/record/past.js";
import { nameHashOf } from "../../src/record/webhook-name.js";
import { parse } from "../settings/parse.js";
import { orders } from "./webhooks.js";

const silent = { log: { warn: () => {}, progress: () => {} } };
const recordedAt = { createdAt: "2026-01-01T00:00:00Z" };
const unseen = { seenBy: "0000" };

function judge(reply: object, { apiName, ...before }: Partial<Known> & { apiName?: string }) {
  const past: Known = { kind: "known", id: "42", ...before };
  const session = new Session(parse({ apiKey: "key", baseUrl: "https://api.example.com" }), silent);
  return isRecorded(session, reply, { urn: undefined, past, state: { ...orders, apiName } });
}

const inZone = { createdAbout: "2026-01-01T02:00:00Z" };
const about = { ...unseen, createdAbout: "2026-01-01T00:00:02Z" };
const dated = { ...unseen, ...recordedAt };
const precise = { ...unseen, createdAt: "2026-01-01T00:00:00.734Z" };

it.each<[string, before: Parameters<typeof judge>[1], reply: object, verdict: boolean | "another"]>([
  ["its creation", recordedAt, { createdAt: "2026-01-01T00:00:30Z", name: "Other" }, true],
  ["its name and no creation", recordedAt, { name: "Orders" }, true],
  ["its name in the API's form", { apiName: nameHashOf("ord") }, { name: "ord" }, true],
  ["another name and no creation", {}, { name: "Other" }, false],
  ["neither", recordedAt, {}, false],
  ["a time in another zone and its name", inZone, { ...recordedAt, name: "Orders" }, true],
  ["a creation about when the API replied to its create, to another key", about, recordedAt, true],
  ["a creation seconds later, to another key", about, { createdAt: "2026-01-01T00:00:05.5Z" }, "another"],
  ["the time of its creation, to another key", dated, { createdAt: "2026-01-01T01:00:00+01:00" }, true],
  ["that time with fewer digits than the record, to another key", precise, recordedAt, true],
  ["a stamp some milliseconds off, to another key", precise, { createdAt: "2026-01-01T00:00:00.731Z" }, true],
  ["another fraction of it, to another key", precise, { createdAt: "2026-01-01T00:00:00.8Z" }, "another"],
  ["a creation within a minute, to another key", dated, { createdAt: "2026-01-01T00:00:30Z" }, "another"],
  ["its name alone, to another key", dated, { name: "Orders" }, false],
])("judges whether a reply is that of the recorded webhook if it has %s", (_, before, reply, verdict) => {
  if (verdict === "another") expect(() => judge(reply, before)).toThrow(/^Webhook 42 is another webhook now/);
  else expect(judge(reply, before)).toBe(verdict);
});
