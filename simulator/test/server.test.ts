import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startSimulator } from "../src/index.js";
import { ORDERS, send } from "./send.js";
import { start, until } from "./start.js";

describe("startSimulator", () => {
  it("serves the API on 127.0.0.1 below its path", async () => {
    const simulator = await start({ path: "/v1/" });
    expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect((await send(simulator, "create", ORDERS)).status).toBe(201);
    expect((await fetch(new URL("/webhooks", simulator.url), { method: "POST" })).status).toBe(404);
  });

  it("rejects invalid options and names the allowed values", async () => {
    const refused: [options: object, message: string][] = [
      [{ behavior: { idPlace: "here" } }, "behavior.idPlace: expected data.webhook.id | data.id"],
      [{ maxCalls: -1 }, "maxCalls: expected a whole number from 0"],
      [
        { behaviors: {} },
        "unknown option behaviors; the options are port, host, apiKey, path, behavior, file",
      ],
      ...["v1", "/../x", "/v1/.", "/v1/%2E%2e/x", "//v1", "/v 1"].map((path): [object, string] => [
        { path },
        "path: expected a path like /v1",
      ]),
    ];
    for (const [options, message] of refused) await expect(startSimulator(options)).rejects.toThrow(message);
    const badKey = await startSimulator({ apiKey: "canary\nkey" }).catch(String);
    expect(badKey).toContain("visible ASCII");
    expect(badKey).not.toContain("canary");
  });
});

describe("the file of a simulator", () => {
  const createFile = () => {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-file-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, "webhooks.json");
  };

  it("keeps the webhooks and the count of ids for the next start, readable by its owner only", async () => {
    const file = createFile();
    const first = await start({ file });
    for (const _thrice of [1, 2, 3]) await send(first, "create", ORDERS);
    await send(first, "update", { webhook_id: "1", name: "Other" });
    for (const id of ["2", "3"]) first.dashboard.delete(id);
    await first.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await start({ file });
    expect(second.webhooks).toEqual(first.webhooks);
    await send(second, "create", ORDERS);
    expect(second.webhooks).toMatchObject([{ id: "1", name: "Other", secret: ORDERS.secret }, { id: "4" }]);
  });

  it("is not overwritten if it holds something else", async () => {
    const file = createFile();
    writeFileSync(file, '{"name":"my-project"}');
    await expect(start({ file })).rejects.toThrow(`file: ${file} holds something else`);
    expect(readFileSync(file, "utf8")).toBe('{"name":"my-project"}');
  });
});

describe("the request log", () => {
  it("shows each request and its outcome", async () => {
    const simulator = await start({ path: "/v1" });
    await send(simulator, "create", ORDERS);
    const sent = { method: "POST", path: "/v1/webhooks", authorized: true };
    const body = { ...ORDERS, secret: "[secret]" };
    const [at, milliseconds] = [expect.stringMatching(/Z$/), expect.any(Number)];
    const outcome = { committed: true, status: 201, reply: expect.stringContaining('"name":"Orders"') };
    const call = { number: 1, at, operation: "create", ...sent, body, ...outcome, milliseconds };
    await until(() => simulator.calls).toEqual([call]);
    simulator.clearCalls();
    expect(simulator.calls).toEqual([]);
  });

  it("calls onCall with each request when it ends, also if it was dropped before", async () => {
    const simulator = await start({ maxCalls: 1 });
    const ended: unknown[] = [];
    simulator.onCall = ({ operation, status }) => ended.push(`${operation} ${status}`);
    simulator.inject({ fault: { kind: "latency", milliseconds: 300 } });
    await Promise.all((["update", "delete"] as const).map((operation) => send(simulator, operation, {})));
    await until(() => ended.toSorted()).toEqual(["delete 422", "update 422"]);
    expect(simulator.calls).toHaveLength(1);
  });
});

describe("close", () => {
  it("ends open requests, commits none of them, and can run twice", async () => {
    const simulator = await start();
    simulator.inject({ times: 30, fault: { kind: "latency", milliseconds: 60_000 } });
    simulator.inject({ times: 1, fault: { kind: "hang", commit: false } });
    const requests = Array.from({ length: 31 }, () => send(simulator, "create", ORDERS));
    const outcomes = Promise.allSettled(requests);
    await until(() => simulator.calls.filter(({ fault }) => fault).length).toBe(31);
    await simulator.close();
    await simulator.close();
    expect((await outcomes).every(({ status }) => status === "rejected")).toBe(true);
    expect(simulator.webhooks).toEqual([]);
    const refused = { cause: expect.objectContaining({ code: "ECONNREFUSED" }) };
    await expect(send(simulator, "create", ORDERS)).rejects.toMatchObject(refused);
  });
});
