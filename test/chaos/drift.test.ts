import { describe, expect, it } from "vitest";
import { Apis } from "../engine/support/apis.js";
import { detectAndCorrectDrift } from "../engine/support/detect-drift.js";
import { KEY, Stack } from "../engine/support/stack.js";

/** A probe can compare the time of the last change only if an empty update leaves it. */
const emptyUpdate = "leaves updated_at";
const sets = { emptyUpdate: "sets updated_at" } as const;

describe("shows drift in a preview, and corrects it, if the API", () => {
  it.each([
    [
      "leaves or sets updated_at, with any precision",
      {
        leaves: { emptyUpdate },
        sets,
        milliseconds: { emptyUpdate, timestampPrecision: "milliseconds" },
        seconds: { emptyUpdate, timestampPrecision: "seconds" },
        "sets-seconds": { ...sets, timestampPrecision: "seconds" },
      },
    ],
    [
      "has another clock, or returns no times for a create",
      {
        ahead: { emptyUpdate, clockSkewSeconds: 300 },
        behind: { emptyUpdate, clockSkewSeconds: -300 },
        "sets-ahead": { ...sets, clockSkewSeconds: 300 },
        "no-times": { emptyUpdate, timestampsInCreateReply: false },
        "sets-no-times": { ...sets, timestampsInCreateReply: false },
      },
    ],
    [
      "returns ids and enabled in other places or types",
      {
        boolean: { emptyUpdate, enabledType: "boolean" },
        "data-id": { emptyUpdate, idPlace: "data.id", idType: "string" },
        "webhook-id": { emptyUpdate, idPlace: "webhook.id", firstId: "9007199254740993001" },
        id: { emptyUpdate, idPlace: "id" },
      },
    ],
    [
      "has other error formats, or a rate limit",
      {
        errors: { emptyUpdate, errorShape: "errors" },
        nested: { emptyUpdate, errorShape: "nested" },
        limited: { emptyUpdate, rateLimit: { perSecond: 5, burst: 3, headers: true } },
      },
    ],
  ] as const)("%s", (_what, behaviors) => detectAndCorrectDrift(behaviors));

  it("returns errors as web pages or empty replies, except for deleted webhooks", () =>
    detectAndCorrectDrift(
      { html: { emptyUpdate, errorShape: "html" }, empty: { emptyUpdate, errorShape: "empty" } },
      { kinds: ["renamed", "disabled", "enabled", "moved"] },
    ));
});

it("shows no false alarm in 20 previews over a history of changes at different APIs", async () => {
  await using apis = await Apis.start({
    documented: sets,
    dated: { emptyUpdate },
    "no-times": { emptyUpdate, timestampsInCreateReply: false },
    seconds: { emptyUpdate, timestampPrecision: "seconds", clockSkewSeconds: -300 },
    limited: { emptyUpdate, clockSkewSeconds: 300, rateLimit: { perSecond: 10, burst: 5, headers: false } },
  });
  await using stack = await Stack.create({ program: apis.program });
  let previews = 0;
  for (const round of [1, 2, 3, 4, 5]) {
    apis.version = round;
    await stack.declare(apis.program);
    await stack.up();
    for (const seconds of [0, 1, 60]) {
      apis.pass(seconds);
      await stack.expectNoChanges("--refresh", "--run-program");
      previews++;
    }
    // The next probes return other times than recorded, although nobody changed anything.
    apis.change(({ timestampPrecision }) => ({
      timestampPrecision: timestampPrecision === "seconds" ? "microseconds" : "seconds",
    }));
    await stack.ok("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    await stack.expectNoChanges("--refresh");
    previews++;
    const key = `${KEY}-${round}`;
    apis.rotateKey(key);
    await stack.configure({}, { "webhooks:apiKey": key });
  }
  expect(previews).toBe(20);
  expect(apis.stored()).toEqual(apis.declared());
});
