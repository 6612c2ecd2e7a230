import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { CommandError } from "../../../src/commands/command-error.js";
import { type DoctorFlags, runDoctor } from "../../../src/commands/doctor/doctor-command.js";
import { CHECKS } from "../../../src/commands/doctor/doctor-findings.js";
import { DoctorRun } from "../../../src/commands/doctor/doctor-run.js";
import { PulumiCommandError } from "../../../src/pulumi/cli.js";
import { parseSettings } from "../../../src/settings/settings.js";
import { printableLines } from "../../../src/wording/unprintable.js";
import type { Api } from "./checked-api.js";

/** Returns what was written to a stream, without colors. */
export const writtenTo = (stream: PassThrough) => stripVTControlCharacters(String(stream.read() ?? ""));

/** Runs the doctor in this process, without a terminal. */
export async function runWithoutTerminal(env: Record<string, string>, flags: DoctorFlags = { yes: true }) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const running = runDoctor(flags, { env, stdin: new PassThrough(), stdout, stderr });
  // As the command line does.
  const code = await running.catch((error: unknown) => {
    if (!(error instanceof CommandError || error instanceof PulumiCommandError)) throw error;
    stderr.write(`error: ${printableLines(error.message)}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  });
  return { code, out: writtenTo(stdout), err: writtenTo(stderr) };
}

const KEYS = new Map<string, string>(Object.entries(CHECKS).map(([key, { question }]) => [question, key]));

/** Runs the doctor, and reads its report. Nothing that it prints may contain a key or a secret. */
export async function diagnose(api: Api, more?: Record<string, string>, flags: DoctorFlags = {}) {
  const { code, out, err } = await runWithoutTerminal(api.environment(more), { yes: true, ...flags });
  api.expectNoSecretIn(out + err);
  const findings = [...out.matchAll(/^(.) (.*?\?) (.*)\n {2}(.*)$/gm)].map(
    ([, mark, question = "", answer, meaning]) => ({ key: KEYS.get(question) ?? "", mark, answer, meaning }),
  );
  const keysOf = (mark: string) => findings.filter((one) => one.mark === mark).map(({ key }) => key);
  return {
    code,
    out,
    err,
    answers: Object.fromEntries(findings.map(({ key, answer }) => [key, answer])),
    meanings: Object.fromEntries(findings.map(({ key, meaning }) => [key, meaning])),
    /** The checks that show a limit, and those that show why the package does not work with the API. */
    limits: keysOf("!"),
    bad: keysOf("✗"),
    commands: [...out.matchAll(/(?<=^ {2})pulumi config .*/gm)].map(([command]) => command),
    /** The line about a webhook that is left. */
    leftover: /^✗ .*\bdashboard\b.*$/m.exec(out)?.[0],
  };
}

/** Returns the name by which a person finds the webhook that is left: the end of it changes. */
export function shownName({ simulator }: Api): string {
  return `${simulator.webhooks[2]?.name.slice(0, "webhooks doctor XXXXXX".length)} …`;
}

/** Creates a run of the doctor that is interrupted when the API gets this request. */
export function createInterrupted(operation: "create" | "update", api: Api): DoctorRun {
  const controller = new AbortController();
  const match = () => {
    controller.abort();
    return false;
  };
  api.simulator.inject({ operation, match, fault: { kind: "close" } });
  const parsed = parseSettings({ environment: api.environment() });
  if ("problems" in parsed) return expect.fail(parsed.problems().join("\n"));
  return new DoctorRun({ ...parsed, signal: controller.signal, logStep: () => {}, logExchange: () => {} });
}

/** The commands that the doctor recommends. */
export const DRIFT_PROBE = "pulumi config set webhooks:drift probe --stack <name>";
export const DRIFT_ENFORCE = "pulumi config set webhooks:drift enforce --stack <name>";
