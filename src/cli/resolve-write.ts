import { CommandError } from "../command-error.js";
import type { Answers } from "../resolve/answers.js";
import { interruptedCreate } from "../resolve/questions.js";
import { recordAnswer, recordInterrupted } from "../resolve/record.js";
import { stackOption } from "../settings/setting-guide.js";
import { shellArgument } from "../shell-argument.js";
import { RESOLVE } from "../stack/resolve-command.js";
import type { StackExport } from "../stack/stack-export.js";
import { isWebhookType } from "../stack/stack-export.js";
import type { Plan, StackFlags } from "./resolve-plan.js";
import { requireManager } from "./resolve-plan.js";
import type { Report } from "./resolve-report.js";
import { writeState } from "./stack-state.js";

/** Writes the answers into the state. @throws CommandError if the state was not written, or may not have been. */
export async function writePlan(
  { exported, asked, answers }: Plan,
  flags: StackFlags,
  before: string,
): Promise<Pick<Report, "backup" | "sendAgain">> {
  const others = findOtherPending(exported);
  const { stack, record, dropOthers } = flags;
  if (others.length > 0 && !dropOthers)
    throw new CommandError(`${describeOthers(others)}\nThen run: ${toCommand(flags, answers)} --drop-others`);
  for (const one of asked) if (answers.get(one) !== "none") requireManager(exported, one);
  const interrupted = asked.flatMap((one) => {
    const create = interruptedCreate(one);
    return create === undefined ? [] : [{ create, baseUrl: one.baseUrl }];
  });
  const sendAgain = recordInterrupted(exported, interrupted);
  // pulumi stack import keeps no pending operation. Restored from this copy, the webhooks are in doubt again.
  const copy = toText(exported);
  for (const [{ question, create, record, baseUrl }, answer] of answers) {
    const createdAt = create?.note?.reply?.createdAt;
    recordAnswer(exported, { urn: question.urn, answer, baseUrl, createdAt, record });
  }
  try {
    const backup = await writeState({ stack, before, copy, after: toText(exported) });
    return { backup, sendAgain };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // Without the answers: the run that has the lock, or that has changed the state, may have made them wrong.
    throw new CommandError(
      `${error.message}\nThen run: ${toCommand({ stack, ...(record && { record }) }, new Map())}`,
    );
  }
}

/** Returns the URNs of the other resources that an engine was killed in an operation on. Those of Providers change nothing outside the state. */
function findOtherPending({ deployment }: StackExport): string[] {
  return (deployment?.pending_operations ?? []).flatMap(({ resource: { type, urn } }) =>
    isWebhookType(type) || type.startsWith("pulumi:providers:") ? [] : urn,
  );
}

function describeOthers(urns: readonly string[]): string {
  return `The state was not changed. A run was also killed during operations on other resources:${urns.map((urn) => `\n  ${urn}`).join("")}
pulumi stack import also removes these pending operations. Check what became of the resources, or write them down.`;
}

function toText(state: StackExport): string {
  return JSON.stringify(state, null, 4);
}

/** Returns the command with the same options and answers. */
function toCommand({ stack, record, accept, baseUrl }: StackFlags, answers: Answers): string {
  const options = [...answers].map(([{ question }, answer]) =>
    answer === "none"
      ? `--none ${shellArgument(question.urn)}`
      : `--found ${shellArgument(`${question.urn}=${answer.found}`)}`,
  );
  if (record) options.unshift("--record");
  if (accept) options.push("--accept");
  if (baseUrl !== undefined) options.push(`--base-url ${shellArgument(baseUrl)}`);
  return [`${RESOLVE}${stackOption(stack)}`, ...options].join(" ");
}
