import { expect, it } from "vitest";
import { toQuestions } from "../../../src/commands/resolve/questions.js";
import type { NotedCreate } from "../../../src/notes/read-notes.js";
import { shortHash } from "../../../src/record/hashes.js";
import type { StackExport } from "../../../src/stack/stack-export.js";
import { findUnresolved } from "../../../src/stack/unresolved.js";
import {
  BASE_URL,
  exported,
  IN_DOUBT,
  note,
  pending,
  provider,
  providerOf,
  SAVED,
  SENT,
  sent,
  urnOf,
  webhook,
} from "../../stack/exported.js";

const at = "2026-01-01T12:00:00Z";
const ciphertext = { ciphertext: "v1:" };
const record = { ...sent, baseUrl: BASE_URL };
const configuredUrl = "https://configured.example.com";
const ask = (state: StackExport, notes: NotedCreate[] = []) =>
  toQuestions(state, findUnresolved(state, notes), configuredUrl);

it("asks about what is unresolved, and says why, and what the create sent", () => {
  const state = exported(
    [
      webhook("no reply", { id: IN_DOUBT, outputs: { ...record, name: "B" } }),
      webhook("killed before", { id: `in-doubt:by-${SENT}-abcd`, outputs: { ...record, name: "C" } }),
      webhook("known"),
      webhook("imported", { id: "8", outputs: { baseUrl: BASE_URL, unconfirmed: true } }),
    ],
    [pending("creating", "pending", { inputs: { name: ciphertext, url: ciphertext } })],
  );
  const noted = [note({ urn: urnOf("noted"), baseUrl: BASE_URL, ...sent, reply: { id: "42" } })];
  const orders = { name: "Orders", url: sent.url, baseUrl: BASE_URL };
  const shown = (resource: string, fields: object) => ({ urn: urnOf(resource), resource, ...fields });
  const sameName = [{ id: "1", resource: "known" }];
  expect(ask(state, noted).map((question) => question.shown)).toEqual([
    shown("killed before", { ...orders, name: "C", reason: "killed", sentAt: at, isSentEarlier: true }),
    shown("no reply", { ...orders, name: "B", reason: "no reply", sentAt: at }),
    shown("noted", { ...orders, reason: "killed", sentAt: SENT, createdId: "42" }),
    shown("pending", { baseUrl: configuredUrl, reason: "killed", sentAt: SAVED, isSentEarlier: true }),
  ]);
  const ofProvider = exported([
    provider("default"),
    webhook("known"),
    webhook("read", { id: "9", external: true }),
    webhook("replaced", { id: "10", pendingReplacement: true }),
    webhook("of another Provider", { id: "11", provider: providerOf("eu") }),
  ]);
  expect(ask(ofProvider, noted)[0]?.shown.sameName).toEqual(sameName);
});

const unclear = (outputs: object = record) =>
  exported([webhook("orders", { id: IN_DOUBT, outputs: { ...outputs } })]);
const creating = (name: string, ...providers: ReturnType<typeof provider>[]) =>
  exported(providers, [pending("creating", "orders", { provider: providerOf(name) })]);
const main = exported([provider("default")]);
const [noted, old] = ["https://noted.example.com", "https://old.example.com"];
const ofApi = (api: string) => note({ api: shortHash(api) });

it.each<[string, unknown, StackExport, ...NotedCreate[]]>([
  ["of its record", BASE_URL, unclear()],
  ["of a record that has it encrypted", ciphertext, unclear({ ...sent, baseUrl: ciphertext })],
  ["of its note", noted, main, note({ api: "x", baseUrl: noted })],
  ["of its Provider", BASE_URL, creating("eu", provider("default", old), provider("eu", `${BASE_URL}/`))],
  ["of encrypted settings", ciphertext, creating("default", provider("default", ciphertext))],
  ["of the stack's config or the environment, for the default Provider", configuredUrl, creating("default")],
  ["not of those for an explicit Provider", undefined, creating("eu")],
  ["only of what a note confirms", configuredUrl, main, ofApi(configuredUrl)],
  ["of none if a note confirms none", undefined, main, ofApi(old)],
])("finds the base URL that a create was sent to: that %s", (_, expected, state, ...notes) => {
  const [question = expect.unreachable()] = ask(state, notes);
  expect(question.baseUrl).toEqual(expected);
});
