import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { FakePulumi } from "./fake-pulumi.js";

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGQUIT", 131],
] as const)(
  "removes the log of the engine on %s, which may show secrets, and ends the engine",
  async (signal, exitCode) => {
    using pulumi = new FakePulumi();
    using drift = pulumi.start(["drift", "--json"]);
    const refresh = await vi.waitFor(() => pulumi.read("refresh.json"), { timeout: 30_000 });
    const { log, mode } = JSON.parse(refresh);
    expect(existsSync(log)).toBe(true);
    expect(mode).toBe(0o700);
    drift.child.kill(signal);
    const { code, out } = await drift.ended;
    const errors = [`The comparison was ended by ${signal}.`];
    expect(JSON.parse(out)).toMatchObject({ result: "failed", errors });
    expect(code).toBe(exitCode);
    expect(pulumi.read("signal.txt")).toBe(signal === "SIGQUIT" ? "SIGTERM" : signal);
    expect(readdirSync(join(pulumi.folder, "tmp"))).toEqual([]);
  },
);
