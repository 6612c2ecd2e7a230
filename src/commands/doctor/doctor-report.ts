import { styleText } from "node:util";
import { stackOption } from "../../wording/command.js";
import { printable } from "../../wording/unprintable.js";
import type { ConfigSource } from "../stack-config.js";
import { CHECKS, evaluate, recommend } from "./doctor-findings.js";
import type { DoctorRun } from "./doctor-run.js";

const MARKS = {
  good: ["✓", "green"],
  limit: ["!", "yellow"],
  bad: ["✗", "red"],
  open: ["?", "gray"],
} as const;

const UNSEEN =
  "It cannot see whether URLs must be unique, a limit of webhooks, one change at a time, a rate limit, real deliveries, or which errors mean that nothing happened (webhooks:noEffectStatus).";

/** Formats the report of a run: the findings, a verdict, and the commands that set what is recommended. @returns it, and the exit code. */
export function formatReport(
  run: DoctorRun,
  { stack, configFile }: Partial<ConfigSource>,
  stream: NodeJS.WritableStream,
): { code: 0 | 1; text: string } {
  const { leftover, options } = run;
  const line = (level: keyof typeof MARKS, text: string) => {
    const [sign, color] = MARKS[level];
    return `${styleText(color, sign, { stream })} ${styleText("bold", printable(text), { stream })}`;
  };
  const findings = evaluate(run);
  const lines = findings.flatMap(({ question, answer, meaning, level }) => [
    line(level, `${question} ${answer}`),
    `  ${printable(meaning)}`,
  ]);
  const skipped = Object.keys(CHECKS).length - findings.length;
  const checks = skipped === 1 ? "check" : "checks";
  if (skipped > 0) lines.push(line("open", `${skipped} other ${checks} could not be done.`));
  const { aborted } = options.signal;
  const hasProblems = leftover || findings.some(({ level }) => level === "bad");
  const works = !aborted && !hasProblems;
  lines.push("");
  if (aborted) lines.push(line("bad", "The run was interrupted before all checks were done."));
  if (leftover) lines.push(line("bad", describeLeftover(run)));
  const { baseUrl } = options.settings;
  if (works) lines.push(line("good", `pulumi-webhooks works with the API at ${baseUrl}.`), `  ${UNSEEN}`);
  else if (hasProblems) lines.push(line("bad", `There are problems with the API at ${baseUrl}.`));
  if (!leftover) lines.push("  The doctor left no webhook behind.");
  const commands = recommend(run, works).map(
    ([name, value]) => `  pulumi config set webhooks:${name} ${value}${stackOption(stack, configFile)}`,
  );
  if (commands.length > 0) lines.push("", "Recommended settings:", ...commands);
  return { code: works ? 0 : 1, text: `${lines.join("\n")}\n` };
}

/** Describes the webhook that is left at the API, or may be, and what to do about it. */
export function describeLeftover({ leftover: { id, taken, why } = { why: "" }, token }: DoctorRun): string {
  if (taken !== undefined)
    return `Webhook ${taken} is one of yours: ${why}. Restore its name, secret and enabled in the dashboard.`;
  // The rest of its name changes.
  const named = `named "webhooks doctor ${token} …"`;
  return id === undefined
    ? `A webhook ${named} may be left at the API: ${why}. Look for it in the dashboard, and delete it there.`
    : `Webhook ${id}, ${named}, could not be deleted: ${why}. Delete it in the dashboard.`;
}
