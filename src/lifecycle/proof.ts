import type { RepliedWebhook, WebhookFields } from "../client/api.js";
import type { Context, WebhookClient } from "../client/client.js";
import { compareWebhooks, parseTime } from "../record/identity.js";
import { labelAtStart } from "../record/label.js";
import { shownUrn } from "../record/urn.js";
import { isSameName } from "../record/webhook-name.js";
import { failed, WebhookError } from "../wording/errors.js";
import { OTHER_KEY } from "./gone-evidence.js";
import type { State } from "./state.js";

/** What a reply proves of a webhook. */
type Proof =
  /** It is the recorded webhook: by its creation or, without one, by its name. */
  | { kind: "same" }
  /** Nothing speaks against it. */
  | { kind: "open" }
  /** It was created at another time: this is another account, or the API has used the id of a deleted webhook again. */
  | { kind: "another"; createdAt: string | undefined };

/** What is known of a webhook before a request. An import has no record. */
type Recorded = Partial<Pick<State, "name" | "apiName" | "createdAt">>;

/**
 * Judges the reply to an update or a probe. One without the fields speaks against nothing.
 *
 * @param isOtherKey whether another key saw the webhook last. Then it may be of another account, and only the very time of its creation
 *   proves that it is the same.
 */
export function proofOf(
  { name: replied, createdAt }: Pick<RepliedWebhook, "name" | "createdAt">,
  { name, apiName, createdAt: recordedAt }: Recorded = {},
  isOtherKey = false,
): Proof {
  const id = ""; // The client has compared it.
  const sameness = compareWebhooks({ id, createdAt }, { id, createdAt: recordedAt });
  if (sameness === "another") return { kind: "another", createdAt };
  const isNamed = name !== undefined && replied !== undefined && isSameName(replied, { name, apiName });
  const isSame = isOtherKey
    ? sameness === "same" && parseTime(createdAt) === parseTime(recordedAt)
    : sameness === "same" || isNamed;
  return { kind: isSame ? "same" : "open" };
}

interface Unproven {
  action: string;
  id: string;
  urn: string | undefined;
  client: WebhookClient;
  /** What was sent to it last. */
  fields: WebhookFields;
  createdAt: string | undefined;
  context: Pick<Context, "ifGone" | "secrets" | "deadlineSeconds">;
}

/**
 * Proves that the API key sees a webhook, by an update with what it has: another key saw it last, and this one may be of another account,
 * which may have one with the same id.
 *
 * @throws WebhookError if it does not, or if its creation is recorded, and the reply does not show it.
 */
export async function proveKey({
  action,
  id,
  urn,
  client,
  fields,
  createdAt,
  context,
}: Unproven): Promise<void> {
  const reply = await client.update(id, fields, { ...context, action, recorded: fields, createdAt });
  const proof = proofOf(reply, { createdAt }, true);
  if (proof.kind === "another")
    throw otherWebhookError({
      id,
      urn,
      recordedAt: createdAt,
      createdAt: proof.createdAt,
      isOverwritten: true,
      isImported: false,
    });
  if (proof.kind === "open" && createdAt !== undefined)
    throw failed(action, `the reply does not show when it was created, and ${OTHER_KEY}`);
}

interface Other {
  id: string;
  urn?: string | undefined;
  /** When the recorded webhook was created, and when the one that has its id now. */
  recordedAt: string | undefined;
  createdAt: string | undefined;
  /** Whether an update has overwritten that one. A probe has not. */
  isOverwritten?: boolean;
  /** Whether the program imports the id. A probe does not know it. */
  isImported?: boolean | undefined;
}

/** The error for a reply about another webhook than the recorded one. */
export function otherWebhookError(other: Other): WebhookError {
  const { id, urn, recordedAt, createdAt, isOverwritten, isImported } = other;
  const overwritten = isOverwritten
    ? " Its url, name and enabled were overwritten: restore them in the dashboard."
    : "";
  const remove = {
    true: "remove the option import",
    false: "",
    undefined: "remove the option import, if it is set",
  };
  const steps = [remove[`${isImported}`], `run pulumi state delete ${shownUrn(urn)}`].filter(Boolean);
  // Not --replace, which would delete the other webhook.
  return new WebhookError({
    summary: `${labelAtStart(id, urn)} is another webhook now`,
    detail: `the API replied that it was created at ${createdAt}, but the state says ${recordedAt}.${overwritten} If the API key is that of another account, set the right one. If not, the API has used the id again: ${steps.join(", ")}, then run pulumi up, which creates the webhook again.`,
    failure: "another",
  });
}
