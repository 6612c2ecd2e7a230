import { afterAll, expect, it, vi } from "vitest";
import { findLookAlikes } from "../../../src/commands/resolve/look-alikes.js";
import { formatText } from "../../../src/commands/resolve/resolve-report.js";
import { stackOf } from "../../../src/record/urn.js";
import { describeGate } from "../../../src/stack/gate-message.js";
import type { StackExport } from "../../../src/stack/stack-export.js";
import type { UnresolvedCreate } from "../../../src/stack/unresolved.js";
import { expectStacks } from "../../lifecycle/simulator.js";
import { exported, note, webhook as recordOf } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

const webhook = { name: "Orders", url: "https://example.com/orders", baseUrl: "https://api.example.com" };
const urn = "urn:pulumi:dev::shop::webhooks:index:Webhook::orders";
const createdAt = "2026-01-02T12:00:00Z";
const stack = stackOf(urn, undefined);
const ofAcme = stackOf(urn, "acme");

const createOf = (resource: string, fields: Partial<UnresolvedCreate> = {}) =>
  unresolvedOf(resource, { shownBy: "record", name: "Orders", sentAt: createdAt, ...fields });
const killed = { name: "refunds", shownBy: "pending", sentAt: undefined } as const;
const made = { notedId: "43", made: { id: "43" } };
const { url, baseUrl } = webhook;
const CREATES = [
  createOf("orders", { url, baseUrl }),
  createOf("refunds", killed),
  createOf("exports", { url, name: undefined }),
];

/** Creates to which the API has replied, as only notes show. */
const CREATED = [
  createOf("orders", { shownBy: "note", notedId: "7" }),
  createOf("invoices", { shownBy: "note", notedId: "3012" }),
  createOf("last", { shownBy: "note", notedId: "3013", note: note({ writer: "ended" }), baseUrl }),
];
const keep = ["7", "8"].map((other) => recordOf(`exports-${other}`, { id: other, outputs: webhook }));
const report = { stack: "dev", exported: exported(keep), creates: [], sendsAllAgain: false };
/** Formats a report of creates that are open. */
const formatOpen = (creates: readonly UnresolvedCreate[], state: StackExport = report.exported) => {
  const open = creates.map((one) => ({ ...one, keep: findLookAlikes(one, { exported: state, creates }) }));
  return formatText({ ...report, exported: state, open });
};

/** Calls a function in a pipeline. The tests may run in one, too. */
function inPipeline(format: () => string): string {
  const setPlace = (place: string) =>
    ["CI", "PULUMI_WEBHOOKS_ANSWER_IN"].map((name) => vi.stubEnv(name, place));
  setPlace("the workflow Recover");
  const formatted = format();
  setPlace("");
  return formatted;
}
inPipeline(String);
afterAll(() => vi.unstubAllEnvs());

const answered = {
  ...report,
  recorded: [createOf("refunds", { ...killed, ...made })],
  notThere: CREATES.slice(0, 1),
  sendsAllAgain: true,
  backup: "pulumi-webhooks-dev-20260101T120000Z.json",
};

const REPORTS = {
  "nothing to do": formatText(report),
  "what is open": formatOpen([...CREATES, ...answered.recorded]),
  "a webhook that exists": formatOpen(CREATED.slice(2)),
  "webhooks that exist, one of which has the id of another one": formatOpen(CREATED.slice(0, 2)),
  "what is open if the state cannot be read": formatOpen(CREATED.slice(2), {}),
  "what is open in a pipeline": inPipeline(() => formatOpen(CREATES.slice(0, 1))),
  answers: formatText(answered),
  "answers in a pipeline": inPipeline(() => formatText({ ...answered, recorded: [], notThere: [] })),
};

it("shows every message of the gate and of resolve as users read it, with its stack in every command", async () => {
  const unresolved = Array.from({ length: 12 }, (_, n) => createOf(`W${n}`, { urn, name: `W${n}` }));
  const describe = () => describeGate(unresolved.slice(0, 1), stack) ?? "";
  const mixed = describeGate([...CREATED.slice(1), ...CREATES], stack) ?? "";
  const gates = [describe(), inPipeline(describe), describeGate(unresolved, ofAcme) ?? "", mixed];
  const reports = Object.entries({ "the gate": gates.join("\n"), ...REPORTS });
  const sections = reports.map(([name, text]) => `${name}\n${text.trimEnd()}`.replaceAll("\n", "\n  "));
  const text = `${sections.join("\n\n")}\n`;
  expect(expectStacks(text).length).toBeGreaterThan(3);
  await expect(text).toMatchFileSnapshot("messages.txt");
});
