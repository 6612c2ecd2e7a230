import { expect, it } from "vitest";
import { readPast } from "../../src/record/past.js";
import { SEEN_BY } from "../../src/record/seen-by.js";
import { create, declare, startRun } from "./runs.js";
import { api, reply, useSimulator } from "./simulator.js";
import { withSecret } from "./webhooks.js";

// The whole sequence of requests of an operation, as the engine asks for its parts.

useSimulator();

/** Returns the requests so far: the operation and the id. A probe is an update that sends nothing else. */
const requests = () =>
  api.calls.map(({ operation, body }) => {
    const { webhook_id: id = "", name } = Object(body);
    return `${operation === "update" && name === undefined ? "probe" : operation} ${id}`.trim();
  });

const rotated = { ...withSecret, secret: "whsec-canary-2" };
const OFF = {};
const PROBE = { drift: "probe" };
const contradicted = () => reply({ id: 2, name: "Orders", enabled: "false" }, "create");

/** Runs the parts of a change of webhook 1, which was created in an earlier run. @param isSeen whether this key saw it last. */
async function start(settings: object, isSeen: boolean) {
  const { id, outputs } = await create();
  const olds = { ...outputs, ...(!isSeen && { [SEEN_BY]: "0000" }) };
  const past = readPast(id, olds);
  const run = startRun({ ...settings });
  return { olds, run, resource: declare(run, { past }) };
}

const REPLACED = ["create", "delete 1"];
const ASKED_BY_UPDATE = ["update 1", "create", "probe 1", "delete 1"];
const ASKED_BY_PROBE = ["probe 1", "create", "probe 1", "delete 1"];

it.each<[how: string, settings: object, isSeen: boolean, requests: string[], before?: () => void]>([
  ["a changed secret", OFF, true, REPLACED],
  ["a changed secret, with a contradiction", OFF, true, ["create", "update 2", "delete 1"], contradicted],
  ["a changed secret, with a new key", OFF, false, ASKED_BY_UPDATE],
  ["a changed secret, with a new key and the probe", PROBE, false, ASKED_BY_PROBE],
  ["--replace", OFF, true, REPLACED],
  ["--replace, with a new key", OFF, false, ASKED_BY_UPDATE],
  ["--replace, with a new key and the probe", PROBE, false, ASKED_BY_PROBE],
])("%s creates, then deletes the old webhook", async (how, settings, isSeen, expected, before) => {
  const { olds, run, resource } = await start(settings, isSeen);
  before?.();
  // The engine compares nothing before one that is forced.
  const isForced = how.startsWith("--replace");
  if (!isForced) expect(await resource.plan("1", olds, rotated)).toMatchObject({ replaces: ["secret"] });
  await (isForced ? resource.declareNew(withSecret) : resource.create(rotated));
  await run.delete("1", olds);
  expect(requests()).toEqual(expected);
});

it.each<[how: string, isSeen: boolean, requests: string[]]>([
  ["", true, ["delete 1", "create"]],
  [", with a new key", false, ["probe 1", "delete 1", "create"]],
])("deleteBeforeReplace deletes, then creates%s", async (_, isSeen, expected) => {
  const { olds, run, resource } = await start(OFF, isSeen);
  await resource.plan("1", olds, rotated);
  await run.delete("1", olds);
  await resource.create(rotated);
  expect(requests()).toEqual(expected);
});

it.each<[how: string, settings: object, isSeen: boolean, requests: string[]]>([
  ["", PROBE, true, ["update 1"]],
  [", with a new key", OFF, false, ["update 1"]],
  [", with a new key and the probe", PROBE, false, ["probe 1", "update 1"]],
])("a changed name sends one update%s", async (_, settings, isSeen, expected) => {
  const { olds, resource } = await start(settings, isSeen);
  await resource.update("1", olds, { ...withSecret, name: "Refunds" });
  expect(requests()).toEqual(expected);
});
