import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/wording/version.js";
import { startAtTerminal, startCommand } from "./built-command.js";
import { Api, KEY } from "./doctor/checked-api.js";
import { FakePulumi } from "./fake-pulumi.js";

const end = (...args: string[]) => startCommand(args).ended;

describe.concurrent("pulumi-webhooks", { timeout: 60_000 }, () => {
  it("prints its version", async () => {
    expect(await end("--version")).toEqual({ code: 0, out: `${VERSION}\n`, err: "" });
  });

  it.for([
    [[], "Commands:"],
    [["doctor"], "-s, --stack <name>"],
    [["drift"], "Exit codes"],
    [["resolve"], "--none [name...]"],
  ] as const)("explains %j in 80 columns", async ([command, text]) => {
    const { code, out } = await end(...command, "--help");
    expect(code).toBe(0);
    expect(out).toContain(text);
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it.for([
    [["dritf"], "unknown command 'dritf'\n(Did you mean drift?)\nFor the commands, run: npx pulumi-webhooks"],
    [["drift", "--jsn"], "unknown option '--jsn'\n(Did you mean --json?)\nFor details, run: npx pulumi-"],
    [["doctor", "dev"], "too many arguments for 'doctor'. Expected 0 arguments but got 1: dev.\nFor details"],
  ] as const)("exits with 2 after %j, and names the help", async ([args, message]) => {
    const err = expect.stringContaining(`error: ${message}`);
    expect(await end(...args)).toEqual({ code: 2, out: "", err });
  });

  it("resolve uses the selected stack, and says if none is selected", async () => {
    const reason = "no stack selected; please use `pulumi stack select`";
    using pulumi = new FakePulumi(`#!/bin/sh\necho 'error: ${reason}' >&2\nexit 1\n`);
    const err = `error: pulumi stack failed: ${reason}\n`;
    expect(await pulumi.start(["resolve"]).ended).toEqual({ code: 1, out: "", err });
  });

  it("exits with 2 if the environment names a proxy by something that is not a URL", async () => {
    const account = { WEBHOOKS_BASE_URL: "https://api.example.com", WEBHOOKS_API_KEY: KEY };
    const { ended } = startCommand(["doctor", "--yes"], { ...account, HTTPS_PROXY: "no proxy" });
    const err = expect.stringMatching(/^error: .*HTTPS_PROXY.*is not the URL of an HTTP proxy/);
    expect(await ended).toEqual({ code: 2, out: "", err });
  });

  it("completes the run if the reader of its progress goes away", async () => {
    await using api = await Api.start();
    const { child, ended } = startCommand(["doctor", "--yes"], api.environment());
    child.stderr?.once("data", () => child.stderr?.destroy());
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(out).toContain("✓ pulumi-webhooks works with the API");
    expect(api.left).toEqual([]);
  });

  it.for(["\u0003", "\u0004"])("sends nothing after the answer %j at a terminal", async (answer) => {
    await using api = await Api.start();
    const { child, ended, printed } = startAtTerminal(["doctor"], api.environment());
    await printed("Continue? [y/N]");
    child.stdin?.write(answer);
    const { code, out } = await ended;
    expect(code).toBe(1);
    expect(out).toContain("No request was sent.");
    expect(api.requests).toEqual([]);
  });
});
