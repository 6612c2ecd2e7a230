import { existsSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { BuiltCommand } from "./built-command.js";
import { FakePulumi } from "./fake-pulumi.js";

vi.setConfig({ testTimeout: 30_000 });

let command: BuiltCommand;
let pulumi: FakePulumi;
beforeAll(() => {
  command = new BuiltCommand();
}, 60_000);
afterAll(() => command[Symbol.dispose]());
beforeEach(() => {
  pulumi = new FakePulumi(command.folder);
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGQUIT", 131],
] as const)(
  "removes the log of the engine on %s, which may show secrets, and ends the engine",
  async (signal, exitCode) => {
    const environment = { ...pulumi.environment(), FAKE_EXPORT: "hang" };
    const { child, ended } = command.start(["drift", "--json"], environment);
    await vi.waitFor(() => expect(pulumi.list("refresh.json")).toEqual(["refresh.json"]), {
      timeout: 20_000,
    });
    const { log, mode } = JSON.parse(pulumi.read("refresh.json"));
    expect(existsSync(log)).toBe(true);
    expect(mode).toBe(0o600);
    child.kill(signal);
    const { code, out } = await ended;
    expect(JSON.parse(out)).toMatchObject({
      result: "failed",
      errors: [`The comparison was ended by ${signal}.`],
    });
    expect(code).toBe(exitCode);
    expect(pulumi.read("signal.txt")).toBe(signal === "SIGQUIT" ? "SIGTERM" : signal);
    expect(pulumi.list("", "tmp")).toEqual([]);
  },
);
