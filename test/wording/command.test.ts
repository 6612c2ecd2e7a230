import { execFileSync } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { shownUrn } from "../../src/record/urn.js";
import { SettingGuide } from "../../src/settings/setting-guide.js";
import { resolveAdvice, shellArgument, stackOption, unlockAdvice } from "../../src/wording/command.js";

const HOSTILE = String.raw`o'$(echo ran)'"x\ ;&|>${"`echo ran`"}`;

/** Returns the arguments that a shell passes to a command. */
const argumentsOf = (command: string) =>
  execFileSync("sh", ["-c", `set -- ${command}; printf '%s\\n' "$@"`], { encoding: "utf8" })
    .split("\n")
    .slice(0, -1);

describe("a command that a message advises", () => {
  it.each([
    ["the URN of a resource", shownUrn(`urn:${HOSTILE}`).replace(" --stack <name>", ""), `urn:${HOSTILE}`],
    ["the name of a stack", stackOption(HOSTILE), "--stack", HOSTILE],
    [
      "the value of a setting",
      new SettingGuide({ stack: HOSTILE }).howToSet("previousBaseUrl", HOSTILE).replace("run pulumi ", ""),
      ...["config", "set", "webhooks:previousBaseUrl", HOSTILE, "--stack", HOSTILE],
    ],
  ])("passes %s to the command, and runs nothing in it", (_, command, ...expected) => {
    expect(argumentsOf(command)).toEqual(expected);
  });

  it.each(["", "-x", "a b", "*", "~", "#x", "!x", "\n", "é"])("keeps the argument %j", (text) => {
    expect(argumentsOf(shellArgument(text)).join("\n")).toBe(text);
  });

  it("quotes URNs always, which shows where they end, and other arguments only if it must", () => {
    expect(shellArgument("urn:pulumi:dev::test::t::n")).toBe("'urn:pulumi:dev::test::t::n'");
    for (const plain of ["dev", "acme/shop/dev_1", "https://api.example.com:8443/v1", "/tmp/state.json"]) {
      expect(shellArgument(plain)).toBe(plain);
    }
  });
});

it("names the workflow of a pipeline instead of a command, which nobody can run there", () => {
  const advise = (place: string) => {
    vi.stubEnv("PULUMI_WEBHOOKS_ANSWER_IN", place);
    return [resolveAdvice("dev"), unlockAdvice("dev")];
  };
  expect(advise("the workflow Recover")).toEqual([
    "Start the workflow Recover",
    "start the workflow Recover with unlock",
  ]);
  expect(advise("")).toEqual([
    "Run npx pulumi-webhooks resolve --stack dev",
    "run pulumi cancel --stack dev",
  ]);
  vi.unstubAllEnvs();
});
