import { styleText } from "node:util";
import { mayHaveTakenEffect } from "../../client/retry.js";
import { stackOption } from "../../wording/command.js";
import { printable } from "../../wording/unprintable.js";
import type { ConfigSource } from "../stack-config.js";
import { evaluate } from "./doctor-findings.js";
import type { DoctorRun } from "./doctor-run.js";

const SIGNS = { good: ["✓", "green"], limit: ["!", "yellow"], bad: ["✗", "red"] } as const;
const UNSEEN =
  "It cannot see whether URLs must be unique, a limit of webhooks, one change at a time, a rate limit, real deliveries, or which errors mean that nothing happened (webhooks:noEffectStatus).";
const UNSTABLE =
  "A create that gets one is unresolved. If a gateway in front of the API replies so when it passes nothing on, set webhooks:noEffectStatus.";

/** Formats the report of a run: the findings, a verdict, and the commands that set what is recommended. @returns it, and the exit code. */
export function formatReport(run: DoctorRun, source: Partial<ConfigSource>, stream: NodeJS.WritableStream) {
  const { leftover, options, replies } = run;
  const line = (level: keyof typeof SIGNS, text: string) => {
    const [sign, color] = SIGNS[level];
    return `${styleText(color, sign, { stream })} ${styleText("bold", printable(text), { stream })}`;
  };
  const { aborted } = options.signal;
  const findings = aborted ? [] : evaluate(run);
  const lines = findings.flatMap(({ question, answer, meaning, level }) => [
    line(level, `${question} ${answer}`),
    `  ${printable(meaning)}`,
  ]);
  const failures = replies.filter((reply) => mayHaveTakenEffect(reply) && (reply.status ?? 0) >= 500);
  if (failures.length > 0) {
    const statuses = [...new Set(failures.map(({ status }) => status))].join(", ");
    lines.push(
      line("limit", `${failures.length} of ${replies.length} replies were ${statuses}.`),
      `  ${UNSTABLE}`,
    );
  }
  const works = !aborted && !leftover && findings.every(({ level }) => level !== "bad");
  const { baseUrl } = options.settings;
  if (!aborted) lines.push("");
  if (leftover) lines.push(line("bad", describeLeftover(run)));
  if (aborted) lines.push(line("bad", "The run was interrupted before all checks were done."));
  else if (!works) lines.push(line("bad", `There are problems with the API at ${baseUrl}.`));
  else lines.push(line("good", `pulumi-webhooks works with the API at ${baseUrl}.`), `  ${UNSEEN}`);
  if (!leftover) lines.push("  The doctor left no webhook behind.");
  // A later check may rule out what an earlier one recommends.
  const settings = new Map(findings.flatMap((finding) => Object.entries(finding.settings)));
  const option = stackOption(source.stack, source.configFile);
  const commands = [...settings]
    .filter(([name, value]) => String(Reflect.get(options.settings, name)) !== value)
    .map(([name, value]) => `  pulumi config set webhooks:${name} ${value}${option}`);
  const advice = commands.length > 0 ? "Recommended settings:" : "The settings are as recommended.";
  if (works) lines.push("", advice, ...commands);
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
