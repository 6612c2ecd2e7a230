import { randomBytes } from "node:crypto";
import { WebhookError } from "./errors.js";
import type { State } from "./schema.js";

const PREFIX = "in-doubt:";

/**
 * Whether a recorded webhook is in doubt: its create was sent, and whether the API made it is not known.
 *
 * Such a webhook is in the state under an id of ours, so that no later run creates it a second time.
 */
export function isInDoubt(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** An id for a webhook in doubt. It tells when the create was sent, which is how to find the webhook in the dashboard. */
export function inDoubtId(sentAt: Date): string {
  return `${PREFIX}${sentAt.toISOString()}-${randomBytes(2).toString("hex")}`;
}

/** What a person has to find out about a webhook in doubt, and what to do then. */
export function inDoubtError(id: string, { name, enabled }: Named, what: string): WebhookError {
  const lines = [
    `${what} So it is in doubt whether the API created this webhook, and nothing more is sent for it until you decide.`,
    `Look in the platform's dashboard for a webhook named ${name} that was created at about ${sentAt(id)}.`,
    `- It is there: give the resource the option { import: "<its id in the dashboard>" }, write name: ${JSON.stringify(name)} and enabled: ${enabled} into its arguments where they are missing, and run pulumi up.`,
    "- It is not there: run pulumi up --replace '<urn>'.",
    "- A protected resource needs this first: pulumi state unprotect '<urn>'.",
    `The urn stands beside ${id} in the list of: pulumi stack --show-urns --show-ids`,
  ];
  return new WebhookError(`Creating webhook ${name}`, lines.join("\n"), "in doubt");
}

/** The same in one line, for a preview, which fails nothing. */
export function inDoubtWarning(id: string, { name }: Named): string {
  return `Webhook ${name} is in doubt (${id}): its create got no answer, and nothing more is sent for it. If the dashboard shows a webhook named ${name} of about ${sentAt(id)}, give the resource the option { import: "<its id>" }; if not, run pulumi up --replace '<urn>' (pulumi stack --show-urns --show-ids lists it).`;
}

type Named = Pick<State, "name" | "enabled">;

function sentAt(id: string): string {
  return id.slice(PREFIX.length).replace(/\.\d+Z.*$/, "Z");
}
