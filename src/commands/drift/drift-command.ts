import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../client/api.js";
import { FINDINGS_FILE, parseFindings } from "../../lifecycle/finding.js";
import { exportStack, PulumiCommandError, startPulumi } from "../../pulumi/cli.js";
import { findStack } from "../../pulumi/find-stack.js";
import { printStackName } from "../../record/stack-name.js";
import { findKnownWebhooks, PLUGIN_TYPE, WEBHOOK_TYPE } from "../../stack/stack-export.js";
import { STACK_OPTION, stackOption } from "../../wording/command.js";
import { messageOf } from "../../wording/errors.js";
import { CommandError } from "../command-error.js";
import { onInterrupt } from "../interrupt.js";
import { type ConfigSource, configFileArgs } from "../stack-config.js";
import { formatDriftResult } from "./drift-report.js";
import { toDriftResult } from "./drift-result.js";

/** The help of `pulumi-webhooks drift` below its options. */
export const DRIFT_HELP = `
Compares the webhooks of a stack with the API, and reports what someone changed
outside Pulumi. It changes nothing, and ignores changes of the program that are
not applied yet.

It requires webhooks:drift to be probe. It runs pulumi refresh --preview-only
--run-program for the webhooks alone.

With --json, it prints one JSON document:
  { stack, result: "no drift" | "drift" | "not compared" | "failed",
    webhooks: number, compared: number,
    drift: [{ urn, id, name, change: "deleted" | "changed",
              fields: { name?, enabled?: { recorded, actual } }, changedAt? }],
    notCompared: [text], warnings: [text], errors: [text], restore?: command }
name is that of the resource. The value of a secret name or enabled is
"[secret]". With changedAt, the url may have changed, too.

Exit codes:
  0  all webhooks were compared, and there is no drift
  7  there is drift
  3  something was not compared, or the state has no webhooks; no drift is known
  1  the comparison failed, or a probe cleared fields of a webhook
  2  wrong usage`;

const EXIT_CODES = { "no drift": 0, drift: 7, "not compared": 3, failed: 1 };

/** The URNs of webhooks, with and without a parent. The refresh of other resources may require credentials of others. */
const TARGETS = [WEBHOOK_TYPE, PLUGIN_TYPE].flatMap((type) => [`**::${type}::**`, `**$${type}::**`]);

/** Compares the webhooks of a stack with the API, and reports the drift. @returns the exit code. */
export async function runDrift(flags: Partial<ConfigSource> & { json?: boolean }): Promise<number> {
  const stack = printStackName(await findStack(flags.stack));
  const source = { ...flags, stack };
  const exported = JSON.parse(await exportStack(stack));
  console.error(
    `Comparing the webhooks of stack ${stack} with the API (pulumi refresh --preview-only --run-program).`,
  );
  const webhooks = findKnownWebhooks(exported).length;
  const result = toDriftResult({ ...source, ...(await previewRefresh(source, webhooks)), exported });
  console.log(flags.json ? JSON.stringify(result, null, 2) : formatDriftResult(result));
  return EXIT_CODES[result.result];
}

/** How often the command says how far it is. */
const PROGRESS_MILLISECONDS = 5000;

/** Previews a refresh of so many webhooks, whose reads write what they find to a file. Its owner alone may read it. */
async function previewRefresh(source: ConfigSource, webhooks: number) {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-drift-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const file = join(folder, "findings.jsonl");
  writeFileSync(file, "", { mode: 0o600 });
  const args = ["refresh", "--preview-only", "--run-program=true", "--json", `--stack=${source.stack}`];
  args.push(...TARGETS.map((urns) => `--target=${urns}`), ...configFileArgs(source.configFile));
  const passed = { [FINDINGS_FILE]: file, [STACK_OPTION]: stackOption(source.stack, source.configFile) };
  const { child, text } = startPulumi(args, { environment: { ...process.env, ...passed } });
  child.stdin?.end();
  const stopListening = onInterrupt(() => child.kill(), remove);
  const progress = setInterval(() => {
    const read = readFileSync(file, "utf8").split("\n").length - 1;
    console.error(`${read} of ${webhooks} webhooks read so far …`);
  }, PROGRESS_MILLISECONDS);
  try {
    const failures = await text.then(() => [], explainFailure);
    if (child.killed) throw new CommandError("The comparison was interrupted.");
    return { failures, findings: parseFindings(readFileSync(file, "utf8")) ?? [] };
  } finally {
    clearInterval(progress);
    stopListening();
    remove();
  }
}

/** What the CLI prints of a refresh, as far as it is read here. */
const printed = z.object({
  diagnostics: z.array(z.object({ severity: z.string(), message: z.string() })).default([]),
});

/** Lists the errors of a failed refresh, each once. */
function explainFailure(error: unknown): string[] {
  const output = (error instanceof PulumiCommandError && error.output) || "";
  const texts = (printed.safeParse(parseJson(output)).data?.diagnostics ?? [])
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message.trim().replace(/^error: (?:Preview failed: )?/, ""))
    .filter((text) => text !== "preview failed");
  return texts.length > 0 ? [...new Set(texts)] : [messageOf(error)];
}
