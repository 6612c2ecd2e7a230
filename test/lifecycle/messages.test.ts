import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import type { CreateOutcome } from "../../src/commands/resolve/answers.js";
import { formatText } from "../../src/commands/resolve/resolve-report.js";
import * as accounts from "../../src/lifecycle/messages/accounts.js";
import * as changes from "../../src/lifecycle/messages/changes.js";
import * as deletes from "../../src/lifecycle/messages/deletes.js";
import * as drift from "../../src/lifecycle/messages/drift.js";
import * as gone from "../../src/lifecycle/messages/gone.js";
import * as imports from "../../src/lifecycle/messages/imports.js";
import * as inDoubt from "../../src/lifecycle/messages/unresolved.js";
import { endingError } from "../../src/pulumi/termination.js";
import { SECRET_NAME } from "../../src/record/properties.js";
import { stackOf } from "../../src/record/urn.js";
import { SettingGuide } from "../../src/settings/setting-guide.js";
import { describeGate } from "../../src/stack/gate-message.js";
import { describeStray, type UnresolvedCreate } from "../../src/stack/unresolved.js";
import { failed, type WebhookError } from "../../src/wording/errors.js";
import { unresolvedOf } from "../commands/resolve/unresolved-create.js";
import { settingsOf } from "../settings/parse.js";
import { exported, note, webhook as recordOf } from "../stack/exported.js";

const id = "42";
const webhook = {
  name: "Orders",
  url: "https://example.com/orders",
  enabled: true,
  baseUrl: "https://api.example.com",
};
const doubt = "in-doubt:2026-01-01T12:00:00.000Z-abcd";
const urn = "urn:pulumi:dev::shop::webhooks:index:Webhook::orders";
const createdAt = "2026-01-02T12:00:00Z";
const guide = new SettingGuide();
const stack = stackOf(urn, "organization");
const ofAcme = stackOf(urn, "acme");
const ofProvider = new SettingGuide({ provider: "eu" });
const old = "https://old.example.com";
const created = { ...webhook, createdAt: "2026-01-01T12:00:00Z" };
const action = "Updating webhook 42 (Orders)";
const moved = { action, id, settings: settingsOf({ apiKey: "key", baseUrl: webhook.baseUrl }), guide };
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `W${n}`);

/** Examples of all messages of a topic. */
type Examples<Topic> = Record<Exclude<keyof Topic, "default">, (string | WebhookError)[]>;

const TOPICS = {
  accounts: {
    movedWarning: [accounts.movedWarning(moved)],
    otherUrlError: [guide, ofProvider].map((named) =>
      accounts.otherUrlError({
        ...moved,
        recorded: { ...webhook, baseUrl: old },
        guide: named,
        hasProgram: named === guide,
      }),
    ),
  } satisfies Examples<typeof accounts>,
  changes: {
    replacementProgress: [changes.replacementProgress(id, webhook)],
    replacementWithImportError: [changes.replacementWithImportError(id, webhook)],
    refusedReplacementError: [
      changes.refusedReplacementError(failed(action, "422 from POST /webhooks."), id, stack),
    ],
    allFieldsWarning: [changes.allFieldsWarning(guide)],
    waitingWarning: [changes.waitingWarning(id, webhook)],
    renamedWarning: [{}, { [SECRET_NAME]: true as const }].map((mark) =>
      changes.renamedWarning(id, { ...webhook, ...mark }, { name: "ord", ...mark }),
    ),
    stillEnabledError: [changes.stillEnabledError(action)],
    SENT_AGAIN_WARNING: [changes.SENT_AGAIN_WARNING],
    otherWebhookError: [true, false].map((isOverwritten) =>
      changes.otherWebhookError({ id, webhook: created, createdAt, urn, isOverwritten }),
    ),
    unreadableStateError: [changes.unreadableStateError(action)],
  } satisfies Examples<typeof changes>,
  deletes: {
    keptWarning: [deletes.keptWarning(id, webhook)],
    refusedError: (["it is imported", "another failed"] as const).map((because) =>
      deletes.refusedError(because, id, webhook),
    ),
    unclearError: [deletes.unclearError(failed(action, "no response."))],
  } satisfies Examples<typeof deletes>,
  drift: {
    nothingComparedWarning: [guide, ofProvider].map(drift.nothingComparedWarning),
    urlsNotComparedWarning: (["no time", "too new", "ignored"] as const).map((because) =>
      drift.urlsNotComparedWarning(because, guide),
    ),
    timeAloneWarning: [drift.timeAloneWarning(guide)],
    enforcedWarning: [drift.enforcedWarning(guide)],
    clearedFieldsWarning: [guide, ofProvider].map((named) => drift.clearedFieldsWarning(id, named)),
    tooYoungWarning: [drift.tooYoungWarning(id, webhook)],
    sentNextWarning: [drift.sentNextWarning(id, webhook)],
  } satisfies Examples<typeof drift>,
  gone: {
    goneAdvice: (["unproven", "unseen"] as const).map((sight) =>
      gone.goneAdvice({ ...moved, sight, urn: sight === "unseen" ? undefined : urn }),
    ),
    missingError: [2, 12].map((count) =>
      gone.missingError({
        id,
        webhook,
        sight: count === 2 ? "unseen" : "unproven",
        labels: numbered(count).map((name) => `webhook (${name})`),
        guide,
      }),
    ),
    removedWarning: [gone.removedWarning(id, webhook)],
    OLDER_STATE_WARNING: [gone.OLDER_STATE_WARNING],
    notFoundWarning: (["proven", "unseen"] as const).map((sight) => gone.notFoundWarning(id, webhook, sight)),
  } satisfies Examples<typeof gone>,
  ending: {
    endingError: [endingError()],
  },
  imports: {
    otherImportError: [imports.otherImportError({ id, webhook, importId: "7", urn })],
    ownedProblem: [imports.ownedProblem(id, urn)],
    sharedProblem: [imports.sharedProblem(id, urn)],
    NOTHING_TO_IMPORT: [imports.NOTHING_TO_IMPORT],
    unclearImportError: [imports.unclearImportError(action, "no response.")],
    secretNotSentWarning: [imports.secretNotSentWarning(id, webhook)],
    recordedWarning: [false, true].map((isProbed) => imports.recordedWarning(id, isProbed)),
    missingFieldsError: [imports.missingFieldsError(id, ["url", "enabled"])],
    sendingWarning: [imports.sendingWarning(id, webhook)],
    nothingImportedAdvice: [undefined, urn].map(imports.nothingImportedAdvice),
    REPLACED_WITH_IMPORT: [imports.REPLACED_WITH_IMPORT],
  } satisfies Examples<typeof imports>,
  unresolved: {
    unresolvedError: [undefined, stack].map((known) =>
      inDoubt.unresolvedError({ webhook, reason: "no response from POST /webhooks.", stack: known }),
    ),
    gateClosedError: [inDoubt.gateClosedError("Creating webhook Orders", ofAcme)],
    sameIdReason: [inDoubt.sameIdReason(id, urn)],
    replacedIdReason: [inDoubt.replacedIdReason(id)],
    droppedWarning: [{}, { __secretUrl: true }].map((marks) =>
      inDoubt.droppedWarning(doubt, { ...webhook, ...marks }),
    ),
  } satisfies Examples<typeof inDoubt>,
};

const createOf = (resource: string, fields: Partial<UnresolvedCreate> = {}) =>
  unresolvedOf(resource, { shownBy: "record", name: "Orders", sentAt: createdAt, ...fields });
const killed = { name: "refunds", shownBy: "pending", sentAt: undefined, notedId: "43" } as const;
const CREATES = [
  createOf("orders", { url: webhook.url, baseUrl: webhook.baseUrl }),
  createOf("refunds", killed),
  createOf("exports", { url: webhook.url }),
];
const OUTCOMES: CreateOutcome[] = ["none", { id: "43", baseUrl: webhook.baseUrl }];

const strays = [undefined, "eu"].map((provider) => note({ reply: { id: "101" }, provider }));
const keep = ["7", "8"].map((other) => recordOf(`exports-${other}`, { id: other, outputs: webhook }));
const report = {
  stack: "dev",
  exported: exported(keep),
  creates: [],
  outcomes: new Map(),
  open: [],
  strays: [],
  lock: undefined,
  wasKilled: false,
  backup: undefined,
};
const lock = ["ci@runner (pid 4711) at 2026-01-02T12:00:01Z"];

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
  outcomes: new Map(OUTCOMES.map((outcome, index) => [CREATES[index] ?? expect.unreachable(), outcome])),
  wasKilled: true,
  backup: "pulumi-webhooks-dev-20260101T120000Z.json",
};

const REPORTS = {
  "nothing to do": formatText({ ...report, strays }),
  "what is open": formatText({ ...report, open: CREATES }),
  "what is open in a stack that is locked": formatText({ ...report, open: CREATES.slice(0, 1), lock }),
  "what is open in a pipeline": inPipeline(() => formatText({ ...report, open: CREATES.slice(0, 1) })),
  answers: formatText(answered),
  "answers in a pipeline": inPipeline(() => formatText({ ...answered, outcomes: new Map() })),
};

/** Shows a text as a user reads it. */
const show = (text: string | WebhookError) =>
  (typeof text === "string" ? text : text.message).trimEnd().replaceAll("\n", "\n  ");

/** What begins a command that a person may copy: all that acts on a stack, whichever is selected. */
const COMMAND =
  /(?:pulumi (?:state|cancel|config|import)\b|pulumi (?:stack|up|refresh|destroy) -|pulumi stack import|pulumi-webhooks ).*?(?=[.:;,)](?:\s|$)|$)/gm;
/** What names a command and is none: it says what a command does, or the command reads another stack's settings from variables. */
const MENTIONS = ["pulumi stack import", "pulumi-webhooks doctor, with WEBHOOKS_BASE_URL"];

it("names the stack in every command", async () => {
  const text = await readFile(join(import.meta.dirname, "messages.txt"), "utf8");
  const commands = [...text.replaceAll(/'urn:.*?'/g, "'<urn>'").matchAll(COMMAND)].map(
    ([command]) => command,
  );
  const acting = commands.filter((command) => !MENTIONS.some((mention) => mention.startsWith(command)));
  expect(acting.length).toBeGreaterThan(25);
  for (const command of acting) expect(command).toMatch(/ --stack \S/);
});

it("shows every message of the lifecycle, the gate and resolve as users read it", async () => {
  const unresolved = numbered(12).map((name) => createOf(name, { urn, name }));
  const describe = () => describeGate(unresolved.slice(0, 1), stack) ?? "";
  const gates = [describe(), inPipeline(describe), describeGate(unresolved, ofAcme) ?? ""];
  const topics = Object.entries({
    ...TOPICS,
    gate: { describeGate: gates, describeStray: strays.map((stray) => describeStray({}, stray)) },
    resolve: Object.fromEntries(Object.entries(REPORTS).map(([name, text]) => [name, [text]])),
  });
  const sections = topics.map(([topic, examples]) => {
    const lines = Object.entries(examples).map(([name, texts]) =>
      [name, ...texts.map((text) => `  ${show(text)}`)].join("\n"),
    );
    return [`# ${topic}`, ...lines].join("\n\n");
  });
  await expect(`${sections.join("\n\n")}\n`).toMatchFileSnapshot("messages.txt");
});
