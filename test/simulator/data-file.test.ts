import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { startSimulator } from "../../src/simulator/index.js";
import { send } from "./send.js";
import { start } from "./start.js";

let folder: string;
let data: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-data-"));
  data = join(folder, "webhooks.json");
  return () => rmSync(folder, { recursive: true, force: true });
});

const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders", secret: "canary-secret" };
const TIMES = { createdAt: "2026-01-31T12:00:00.000000Z", updatedAt: "2026-01-31T12:00:00.000001Z" };
const STORED = { ...ORDERS, id: "7", enabled: true, ...TIMES };

describe("a data file", () => {
  it("keeps the webhooks from one run to the next, for its owner only, and never reuses an id", async () => {
    const first = await start({ data });
    expect(JSON.parse(readFileSync(data, "utf8"))).toEqual({ nextId: "0", webhooks: [] });
    expect(statSync(data).mode & 0o777).toBe(0o600);
    first.dashboard.create(ORDERS);
    expect((await send(first, "create", { ...ORDERS, name: "Refunds" })).status).toBe(201);
    first.dashboard.edit("1", { enabled: false });
    first.dashboard.create({ name: "Short-lived" });
    first.dashboard.delete("3");
    const before = first.webhooks;
    await first.close();

    const second = await start({ data });
    expect(second.webhooks).toEqual(before);
    expect(second.dashboard.create({})).toMatchObject({ id: "4", enabled: true });
    expect(readdirSync(folder)).toEqual(["webhooks.json"]);
  });

  it("may be written by hand, without nextId", async () => {
    writeFileSync(data, JSON.stringify({ webhooks: [STORED, { ...STORED, id: "90071992547409931234" }] }));
    chmodSync(data, 0o644);
    const simulator = await start({ data });
    expect(simulator.webhooks).toHaveLength(2);
    expect(simulator.dashboard.create(ORDERS).id).toBe("90071992547409931235");
    expect(statSync(data).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["is not JSON", '{"webhooks":[{"secret":"canary-secret"', "it is not JSON"],
    ["is not an object", '["canary-secret"]', "expected object, received array"],
    ["lacks a field", { webhooks: [{ ...STORED, url: undefined }] }, "webhooks.0.url: Invalid input"],
    ["has an unknown field", { webhooks: [], secrets: [] }, "Unrecognized key"],
    ["has a number for an id", { webhooks: [{ ...STORED, id: 7 }] }, "webhooks.0.id"],
    ["has another form of time", { webhooks: [{ ...STORED, updatedAt: "2026" }] }, "expected a time like"],
    ["has an id twice", { webhooks: [STORED, STORED] }, "duplicate id"],
  ])("that %s is rejected with the reason, and not changed", async (_, content, problem) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(data, text);
    const message = await startSimulator({ data }).catch(({ message }: Error) => message);
    expect(message).toContain(`${data} is not a data file of the simulator`);
    expect(message).toContain(problem);
    expect(message).not.toContain("canary");
    expect(readFileSync(data, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["webhooks.json"]);
  });

  it("that cannot be read or created is named in the error", async () => {
    await expect(startSimulator({ data: folder })).rejects.toThrow(`${folder} cannot be read: EISDIR`);
    const missing = join(folder, "missing", "webhooks.json");
    await expect(startSimulator({ data: missing })).rejects.toThrow(`${missing} cannot be written: ENOENT`);
  });

  it("that another simulator changed is not overwritten: the change is rejected", async () => {
    const first = await start({ data });
    const second = await start({ data });
    first.dashboard.create(ORDERS);
    const text = readFileSync(data, "utf8");

    expect(() => second.dashboard.create({ name: "Lost" })).toThrow(`${data} was changed by something else`);
    const reply = await send(second, "create", ORDERS);
    expect(await reply.text()).toContain("Only one simulator may use a file");
    expect(second.webhooks).toEqual([]);
    expect(second.calls).toMatchObject([{ status: 500, committed: false }]);
    expect(readFileSync(data, "utf8")).toBe(text);
    expect(first.dashboard.create(ORDERS).id).toBe("2");
  });

  it("that cannot be written any more rejects changes", async () => {
    const simulator = await start({ data });
    const kept = simulator.dashboard.create(ORDERS);
    rmSync(data);
    expect(() => simulator.dashboard.delete("1")).toThrow(data);
    expect(() => simulator.dashboard.edit("1", { name: "Other" })).toThrow(data);
    expect([simulator.webhooks, existsSync(data)]).toEqual([[kept], false]);
  });
});
