import { describe, expect, it } from "vitest";
import type { Behavior } from "../../../src/simulator/index.js";
import { Api } from "./api.js";
import { createRun, DRIFT_ENFORCE, DRIFT_PROBE, diagnose } from "./run-doctor.js";

type Expected = { answers?: Record<string, unknown>; limits?: string[]; command?: string };

describe.concurrent("the doctor at an API with a habit", () => {
  const cannotFind = {
    answers: { deleteOfDeleted: "422 Unprocessable Entity, The selected webhook_id is invalid." },
  };

  it.for<[Partial<Behavior>, Expected]>([
    [
      { storedNames: "first 40 characters" },
      { answers: { longName: "no: it is cut to 40 characters" }, limits: ["longName"] },
    ],
    [
      { storedNames: "slug" },
      {
        answers: { longName: expect.stringMatching(/^no: it becomes "webhooks-doctor-[0-9a-f]{6}-safe-/) },
        limits: ["longName"],
      },
    ],
    [
      { storedNames: "without emoji" },
      {
        answers: { longName: expect.stringContaining("(safe to delete) with a long name") },
        limits: ["longName"],
      },
    ],
    [
      { verification: "by hand" },
      {
        answers: {
          omittedFields: expect.stringContaining("keeps it disabled, perhaps until its receiver is verified"),
        },
        limits: ["omittedFields"],
        command: DRIFT_ENFORCE,
      },
    ],
    [{ simultaneousChanges: 409 }, {}],
    [{ duplicateUrls: "refused" }, {}],
    [{ maxWebhooks: 3 }, {}],
    [{ unknownIdStatus: 410 }, { answers: { deleteOfDeleted: "410 Gone, Webhook not found." } }],
    [{ unknownIdStatus: 422 }, { ...cannotFind, limits: ["updateOfDeleted", "deleteOfDeleted"] }],
    [{ userAgent: "required" }, {}],
    [{ keysFind: "their own webhooks" }, {}],
  ])("reports %j, and leaves nothing behind", async ([behavior, expected]) => {
    await using api = await Api.start({ emptyUpdate: "leaves updated_at", ...behavior });
    const { code, problems, answers, levels, commands } = await diagnose(api);
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
    expect(answers).toMatchObject(expected.answers ?? {});
    expect(Object.keys(levels).filter((key) => levels[key] !== "good")).toEqual(expected.limits ?? []);
    expect(commands).toEqual([expected.command ?? DRIFT_PROBE]);
    expect(api.left).toEqual([]);
  });

  it("reports that the limit of webhooks is reached", async () => {
    await using api = await Api.start({ maxWebhooks: 2 });
    const { code, answers, leftovers } = await diagnose(api);
    expect({ code, leftovers }).toEqual({ code: 1, leftovers: [] });
    expect(answers.create).toBe("422 Unprocessable Entity, The limit of 2 webhooks is reached.");
  });

  it("waits until the API finds its webhook, and leaves nothing behind", async () => {
    await using api = await Api.start({ findableAfterSeconds: 1000 });
    let probes = 0;
    const match = () => {
      probes++;
      if (probes === 3) api.simulator.behavior.findableAfterSeconds = 0;
      return false;
    };
    api.simulator.inject({ operation: "update", match, fault: { kind: "close" } });
    const { code, answers, levels, err } = await diagnose(api);
    expect([code, answers.found, levels.found]).toEqual([0, "no: after 3 s", "limit"]);
    expect(err).toContain("The API does not know 3 yet. Trying again in 2 s.");
    expect(api.left).toEqual([]);
  });

  it("deletes its webhook if it is interrupted before the API finds it", async () => {
    await using api = await Api.start({ findableAfterSeconds: 1000 });
    const controller = new AbortController();
    const match = () => {
      if (controller.signal.aborted) api.simulator.behavior.findableAfterSeconds = 0;
      controller.abort();
      return false;
    };
    api.simulator.inject({ operation: "update", match, fault: { kind: "close" } });
    const run = createRun(api, controller.signal);
    await run.run();
    expect(run.leftovers).toEqual([]);
    expect(api.left).toEqual([]);
  });

  it("says that a long name is refused", async () => {
    await using api = await Api.start();
    const match = ({ body }: { body: unknown }) => String(Object(body).name).includes("🚚");
    const body = JSON.stringify({ message: "Too long." });
    api.simulator.inject({ match, fault: { kind: "status", status: 422, body } });
    const { code, answers, levels } = await diagnose(api);
    expect([code, answers.longName, levels.longName]).toEqual([
      0,
      "422 Unprocessable Entity, Too long.",
      "limit",
    ]);
    expect(api.left).toEqual([]);
  });
});
