import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Simulator } from "../src/simulator/index.js";
import { startSimulator } from "../src/simulator/index.js";

let folder: string;
let data: string;
const running: Simulator[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-data-"));
  data = join(folder, "webhooks.json");
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(...options: Parameters<typeof startSimulator>): Promise<Simulator> {
  const simulator = await startSimulator(...options);
  running.push(simulator);
  return simulator;
}

const orders = { url: "https://example.com/hooks/orders", name: "Orders", secret: "canary-secret" };
const stored = {
  ...orders,
  id: "7",
  enabled: true,
  createdAt: "2026-01-31T12:00:00.000000Z",
  updatedAt: "2026-01-31T12:00:00.000001Z",
};

function create({ url, apiKey }: Simulator, body: object) {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return fetch(`${url}/webhooks`, { method: "POST", headers, body: JSON.stringify(body) });
}

describe("a data file", () => {
  it("keeps the webhooks from one run to the next, and gives no id a second time", async () => {
    const first = await start({ data });
    first.dashboard.create(orders);
    expect((await create(first, { ...orders, name: "Refunds" })).status).toBe(201);
    first.dashboard.edit("1", { enabled: false });
    first.dashboard.create({ name: "Short-lived" });
    first.dashboard.delete("3");
    const before = first.webhooks;
    await first.close();

    const second = await start({ data });
    expect(second.webhooks).toEqual(before);
    expect(second.dashboard.create({}).id).toBe("4");
  });

  it("is made at the start where there is none, and is its owner's only", async () => {
    await start({ data });
    expect(JSON.parse(readFileSync(data, "utf8"))).toEqual({ nextId: "0", webhooks: [] });
    expect(statSync(data).mode & 0o777).toBe(0o600);
  });

  it("may be written by hand, with no word of ids to come", async () => {
    writeFileSync(data, JSON.stringify({ webhooks: [stored, { ...stored, id: "90071992547409931234" }] }));
    chmodSync(data, 0o644);
    const simulator = await start({ data });
    expect(simulator.webhooks).toHaveLength(2);
    expect(simulator.dashboard.create(orders).id).toBe("90071992547409931235");
    expect(statSync(data).mode & 0o777).toBe(0o600);
  });

  it("is replaced as a whole, with nothing left beside it, also where it is a link", async () => {
    const link = join(folder, "link.json");
    const place = join(folder, "place");
    mkdirSync(place);
    writeFileSync(join(place, "webhooks.json"), '{"webhooks":[]}');
    symlinkSync(join(place, "webhooks.json"), link);
    const simulator = await start({ data: link });
    simulator.dashboard.create(orders);
    expect(readdirSync(folder)).toEqual(["link.json", "place"]);
    expect(readdirSync(place)).toEqual(["webhooks.json"]);
    expect(readFileSync(join(place, "webhooks.json"), "utf8")).toContain('"Orders"');
  });

  it.each([
    ["is not JSON", '{"webhooks":[{"secret":"canary-secret"', "it is not JSON"],
    ["is empty", "", "it is not JSON"],
    ["holds something else", '["canary-secret"]', "expected object, received array"],
    [
      "lacks a field",
      JSON.stringify({ webhooks: [{ ...stored, url: undefined }] }),
      "webhooks.0.url: Invalid input: expected string, received undefined",
    ],
    ["has a field of its own", JSON.stringify({ webhooks: [], secrets: [] }), "Unrecognized key"],
    ["has a number for an id", JSON.stringify({ webhooks: [{ ...stored, id: 7 }] }), "webhooks.0.id"],
    [
      "has another form of time",
      JSON.stringify({ webhooks: [{ ...stored, updatedAt: "2026-01-31" }] }),
      "webhooks.0.updatedAt: expected a time like",
    ],
    ["has an id twice", JSON.stringify({ webhooks: [stored, stored] }), "an id is there twice"],
  ])("that %s is named, explained and left as it is", async (_, text, problem) => {
    writeFileSync(data, text);
    const message = await startSimulator({ data }).catch(({ message }: Error) => message);
    expect(message).toContain(`${data} is no data file of the simulator`);
    expect(message).toContain(problem);
    expect(message).not.toContain("canary");
    expect(readFileSync(data, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["webhooks.json"]);
  });

  it("that cannot be read or made is named", async () => {
    await expect(startSimulator({ data: folder })).rejects.toThrow(`${folder} cannot be read: EISDIR`);
    const missing = join(folder, "missing", "webhooks.json");
    await expect(startSimulator({ data: missing })).rejects.toThrow(`${missing} cannot be written: ENOENT`);
  });

  it("that another simulator has changed is left to that one: the change is refused", async () => {
    const first = await start({ data });
    const second = await start({ data });
    first.dashboard.create(orders);
    const text = readFileSync(data, "utf8");

    expect(() => second.dashboard.create({ name: "Lost" })).toThrow(`${data} was changed by something else`);
    const reply = await create(second, orders);
    expect([reply.status, await reply.json()]).toEqual([
      500,
      { message: expect.stringContaining("Only one simulator may use a file") },
    ]);
    expect(second.webhooks).toEqual([]);
    expect(second.calls).toMatchObject([{ status: 500, committed: false }]);
    expect(readFileSync(data, "utf8")).toBe(text);
    expect(first.dashboard.create(orders).id).toBe("2");
  });

  it("that cannot be written any more loses no change: none is made", async () => {
    const simulator = await start({ data });
    const kept = simulator.dashboard.create(orders);
    rmSync(data);
    expect(() => simulator.dashboard.delete("1")).toThrow(data);
    expect(() => simulator.dashboard.edit("1", { name: "Other" })).toThrow(data);
    expect(simulator.webhooks).toEqual([kept]);
    expect(existsSync(data)).toBe(false);
  });
});

describe("the log of calls", () => {
  it("holds all calls, or the last ones where a maximum is given", async () => {
    const all = await start();
    const last = await start({ maxCalls: 2 });
    for (const name of ["one", "two", "three"]) {
      await create(all, { ...orders, name });
      await create(last, { ...orders, name });
    }
    expect(all.calls).toHaveLength(3);
    expect(last.calls).toMatchObject([{ body: { name: "two" } }, { body: { name: "three" } }]);
    await expect(startSimulator({ maxCalls: -1 })).rejects.toThrow(
      "maxCalls: expected a whole number from 0",
    );
  });

  it("hands over also a call that it has forgotten while it went on", async () => {
    const simulator = await start({ maxCalls: 1 });
    const ended: unknown[] = [];
    simulator.onCall = ({ body }) => ended.push(body);
    simulator.inject({ fault: { kind: "latency", milliseconds: 300 } });
    await Promise.all([create(simulator, { name: "slow" }), create(simulator, { name: "fast" })]);
    await expect.poll(() => ended).toHaveLength(2);
    expect(simulator.calls).toHaveLength(1);
  });
});
