import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { z } from "zod";
import { CommandError } from "../../../src/commands/command-error.js";
import { type DoctorFlags, runDoctor } from "../../../src/commands/doctor/doctor-command.js";
import { DoctorRun } from "../../../src/commands/doctor/doctor-run.js";
import { printableLines } from "../../../src/commands/printable.js";
import { parseSettings } from "../../../src/settings/settings.js";
import type { Api } from "./checked-api.js";

/** What `--json` prints. */
export const resultSchema = z.strictObject({
  baseUrl: z.string(),
  ok: z.boolean(),
  problems: z.array(z.string()),
  findings: z.array(
    z.strictObject({
      key: z.string(),
      question: z.string(),
      answer: z.string(),
      meaning: z.string(),
      level: z.enum(["good", "limit", "bad", "open"]),
    }),
  ),
  config: z.array(z.strictObject({ key: z.string(), value: z.string(), command: z.string() })),
  leftovers: z.array(z.strictObject({ name: z.string(), id: z.string().optional(), why: z.string() })),
});

/** A stream that keeps what is written to it, without colors. */
export class Sink extends Writable {
  text = "";

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += stripVTControlCharacters(String(chunk));
    done();
  }
}

/** Runs the doctor in this process, without a terminal. */
export async function runWithoutTerminal(env: Record<string, string>, flags: DoctorFlags = { yes: true }) {
  const [stdout, stderr] = [new Sink(), new Sink()];
  const running = runDoctor(flags, { env, stdin: new PassThrough(), stdout, stderr });
  // As the command line does.
  const code = await running.catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    stderr.write(`error: ${printableLines(error.message)}\n`);
    return error.exitCode;
  });
  return { code, out: stdout.text, err: stderr.text };
}

/** Runs the doctor with `--json`, and parses its result. Nothing that it prints may contain a key or a secret. */
export async function diagnose(api: Api, more?: Record<string, string>) {
  const { code, out, err } = await runWithoutTerminal(api.environment(more), { yes: true, json: true });
  api.expectNoSecretIn(out + err);
  const { findings, config, ...rest } = resultSchema.parse(JSON.parse(out));
  expect(rest.ok).toBe(code === 0);
  return {
    code,
    err,
    ...rest,
    answers: Object.fromEntries(findings.map(({ key, answer }) => [key, answer])),
    levels: Object.fromEntries(findings.map(({ key, level }) => [key, level])),
    meanings: Object.fromEntries(findings.map(({ key, meaning }) => [key, meaning])),
    commands: config.map(({ command }) => command),
  };
}

/** Creates a run of the doctor that a signal interrupts. */
export function createRun(api: Api, signal: AbortSignal): DoctorRun {
  const parsed = parseSettings({ environment: api.environment(), isOwnCommand: true });
  if ("problems" in parsed) return expect.fail(parsed.problems.join("\n"));
  return new DoctorRun({ ...parsed, signal, logStep: () => {} });
}

/** The commands that the doctor recommends. */
export const DRIFT_PROBE = "pulumi config set webhooks:drift probe --stack <name>";
export const DRIFT_ENFORCE = "pulumi config set webhooks:drift enforce --stack <name>";
