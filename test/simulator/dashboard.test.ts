import { describe, expect, it } from "vitest";
import { ORDERS } from "./send.js";
import { start } from "./start.js";

describe("the dashboard", () => {
  it("creates, edits and deletes a webhook without a request", async () => {
    const simulator = await start();
    const created = simulator.dashboard.create({ url: ORDERS.url, name: "By hand" });
    expect(created).toMatchObject({ id: "1", enabled: true });
    const edited = simulator.dashboard.edit("1", { enabled: false });
    expect(edited).toEqual({ ...created, enabled: false, updatedAt: edited.updatedAt });
    expect(edited.updatedAt > created.updatedAt).toBe(true);
    simulator.dashboard.delete("1");
    expect(simulator.webhooks).toEqual([]);
    expect(simulator.calls).toEqual([]);
    expect(() => simulator.dashboard.edit("1", {})).toThrow("no webhook 1");
    expect(() => simulator.dashboard.delete("1")).toThrow("no webhook 1");
  });
});
