import { describe, expect, it } from "vitest";
import { Apis } from "../engine/apis.mjs";
import { seeAndHeal } from "../engine/see-and-heal.mjs";
import { KEY, Stack } from "../engine/stack.mjs";

/** What an empty update leaves alone, a probe can compare. */
const emptyUpdate = "leaves updated_at";
const sets = { emptyUpdate: "sets updated_at" } as const;

describe("drift is seen in a preview, healed, and quiet then, where the API", () => {
  it.each([
    [
      "leaves updated_at alone, or not, or writes it less exactly",
      {
        leaves: { emptyUpdate },
        sets,
        milliseconds: { emptyUpdate, timestampPrecision: "milliseconds" },
        seconds: { emptyUpdate, timestampPrecision: "seconds" },
        "sets-seconds": { ...sets, timestampPrecision: "seconds" },
      },
    ],
    [
      "has a clock that differs, or tells no times in a create",
      {
        ahead: { emptyUpdate, clockSkewSeconds: 300 },
        behind: { emptyUpdate, clockSkewSeconds: -300 },
        "sets-ahead": { ...sets, clockSkewSeconds: 300 },
        "no-times": { emptyUpdate, timestampsInCreateReply: false },
        "sets-no-times": { ...sets, timestampsInCreateReply: false },
      },
    ],
    [
      "writes ids and enabled in another way, or elsewhere",
      {
        boolean: { emptyUpdate, enabledType: "boolean" },
        "data-id": { emptyUpdate, idPlace: "data.id", idType: "string" },
        "webhook-id": { emptyUpdate, idPlace: "webhook.id", firstId: "9007199254740993001" },
        id: { emptyUpdate, idPlace: "id" },
      },
    ],
    [
      "writes its errors in another way, limits its rate, or knows idempotency keys",
      {
        errors: { emptyUpdate, errorShape: "errors" },
        nested: { emptyUpdate, errorShape: "nested" },
        limited: { emptyUpdate, rateLimit: { perSecond: 5, burst: 3, headers: true } },
        idempotent: { emptyUpdate, idempotencyKey: "honoured" },
      },
    ],
  ] as const)("%s", (_what, behaviours) => seeAndHeal(behaviours));

  it("answers errors with web pages or nothing, but for webhooks that are gone", () =>
    seeAndHeal({ html: { emptyUpdate, errorShape: "html" }, empty: { emptyUpdate, errorShape: "empty" } }, [
      "renamed",
      "disabled",
      "enabled",
      "moved",
    ]));
});

it("an error that is a web page, or empty, is not taken for a webhook that is gone", async () => {
  await using apis = await Apis.start({ html: { errorShape: "html" }, empty: { errorShape: "empty" } });
  await using stack = await Stack.create({ program: apis.program });
  await stack.up();
  apis.edit();
  const recorded = (await stack.recorded()).length;
  const output = await stack.fails("refresh", "--yes", "--skip-preview");
  for (const api of ["html", "empty"]) expect(output).toContain(`(${api}-gone) failed: 404 Not Found`);
  expect(await stack.recorded()).toHaveLength(recorded);
});

it("an API that clears what an update omits is told by its first probe", async () => {
  await using apis = await Apis.start({ clears: { omittedFields: "cleared" } }, ["moved"]);
  await using stack = await Stack.create({ program: apis.program });
  await stack.up();
  const { code, output } = await stack.run("preview", "--refresh", "--diff", "--expect-no-changes");
  expect(code).toBe(7);
  expect(output).toContain(
    "this API does not keep the fields that an update omits, so the probe does harm here",
  );
  await stack.up("--refresh");
  expect(apis.kept()).toEqual(apis.declared());
});

it("no preview of 20 gives a false alarm, over a history of changes at APIs that differ", async () => {
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
    // The next ones find other times than those that are recorded, though nobody has changed anything.
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
  expect(apis.kept()).toEqual(apis.declared());
});
