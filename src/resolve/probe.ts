import { WebhookClient } from "../client/client.js";
import { UNKNOWN_SECRETS } from "../client/quote.js";
import { CommandError, messageOf } from "../command-error.js";
import { hasFailedAs } from "../errors.js";
import { findWrongId } from "../lifecycle/contradiction.js";
import type { ParsedSettings } from "../settings/settings.js";
import type { Question } from "./questions.js";

/**
 * Probes a webhook whose id was entered, if the settings of its Provider allow that.
 *
 * @throws CommandError if the API has no such webhook, or if its reply shows that it is another one.
 */
export async function probeEntered(
  { resource, name, sentAt, reason }: Question,
  { id, parsed }: { id: string; parsed: ParsedSettings },
): Promise<void> {
  if ("problems" in parsed || parsed.settings.drift !== "probe") return;
  const client = new WebhookClient({ ...parsed.settings, guide: parsed.guide, onWait: () => {} });
  const action = `Probing webhook ${id}`;
  try {
    const probed = await client.probe(id, { action, secrets: UNKNOWN_SECRETS });
    // If a run was killed, the time is the latest at which it was sent.
    const sent = {
      ...(name !== undefined && { name }),
      ...(reason !== "killed" && sentAt && { at: sentAt }),
    };
    const contradiction = findWrongId({ sent }, probed);
    if (contradiction === undefined) return;
    throw new CommandError(
      `The state was not changed. Webhook ${id} is not that of ${resource}: ${contradiction}. Correct the id. If it is right after all, add --accept.`,
    );
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const problem = hasFailedAs("gone", error)
      ? `The API has no webhook ${id}. Correct the id.`
      : `${messageOf(error)} To enter the id without a probe, add --accept.`;
    throw new CommandError(`The state was not changed. ${problem}`);
  } finally {
    await client.close();
  }
}
