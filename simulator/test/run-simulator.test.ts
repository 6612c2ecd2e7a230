import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { runSimulator, type SimulatorFlags } from "../src/run-simulator.js";
import { ORDERS, send } from "./send.js";
import { until } from "./start.js";

let output: string[];

beforeEach(() => {
  output = [];
  vi.spyOn(console, "log").mockImplementation((text) => void output.push(text));
  return () => vi.restoreAllMocks();
});

async function run(flags: Partial<SimulatorFlags> = {}) {
  const simulator = await runSimulator({ port: 0, ...flags });
  onTestFinished(() => simulator.close());
  return simulator;
}

describe("pulumi-webhooks-simulator", () => {
  it("reads its key from the environment and does not print it", async () => {
    vi.stubEnv("WEBHOOKS_API_KEY", "canary-key");
    onTestFinished(() => void vi.unstubAllEnvs());
    const simulator = await run();
    expect(simulator.apiKey).toBe("canary-key");
    await send(simulator, "delete", { webhook_id: "1" });
    await until(() => output[1]).toContain('delete  404 Not Found  webhook_id "1"');
    expect(output[0]).toContain("API key: from WEBHOOKS_API_KEY\n");
    expect(output[0]).not.toMatch(/export WEBHOOKS_API_KEY|config set --secret/);
    expect(output.join()).not.toContain("canary");
  });

  it("prints each request when it ends: a probe, a fault, an unknown path", async () => {
    const simulator = await run({ path: "/v1" });
    simulator.dashboard.create({ url: ORDERS.url, name: ORDERS.name });
    await send(simulator, "update", { webhook_id: "1" });
    simulator.inject({ fault: { kind: "reset", when: "after commit" } });
    await send(simulator, "update", { webhook_id: "1", name: "Other" }).catch(() => undefined);
    await fetch(`${simulator.url}/webhooks/1`);
    await expect
      .poll(() => output.slice(1).map((line) => line.split("  ").slice(1)))
      .toEqual([
        ["update (probe)", "200 OK", 'webhook_id "1"'],
        ["update", "no reply", 'webhook_id "1", name "Other"', "fault: reset after commit (took effect)"],
        ["GET /v1/webhooks/1", "404 Not Found"],
      ]);
    expect(output[1]).toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}/);
  });

  it("keeps the last 100 requests", async () => {
    const simulator = await run();
    for (let index = 0; index < 101; index += 1) await fetch(`${simulator.url}/${index}`);
    expect([simulator.calls.length, simulator.calls[0]?.path]).toEqual([100, "/1"]);
  });

  it("does not start with a --file that cannot be used", async () => {
    await expect(run({ file: "/" })).rejects.toThrow("Cannot use the file of --file: EISDIR");
  });

  it.each([
    ["idPlace=here", "data.webhook.id | data.id | webhook.id | id | none"],
    ["idplace=id", "the options are idPlace, idType, firstId"],
    ["idPlace", "the keys are idPlace, idType, firstId"],
    ["timestampsInCreateReply=yes", "expected true | false"],
    ["clockSkewSeconds=soon", "expected a number"],
    ["rateLimit=5", "expected PER_SECOND:BURST[:headers]"],
  ])("refuses --behavior %s, and names the allowed values", async (text, message) => {
    await expect(run({ behavior: [text] })).rejects.toThrow(message);
  });

  it("makes requests fail as --fault says", async () => {
    const simulator = await run({
      fault: ["create: status 503 retryAfter=1, 2 times", "delete: status 418"],
    });
    const status = async (operation: "create" | "delete") =>
      (await send(simulator, operation, ORDERS)).status;
    expect([await status("create"), await status("create"), await status("create")]).toEqual([503, 503, 201]);
    expect(await status("delete")).toBe(418);
  });
});
