import { WebhookError } from "../errors.js";
import type { Settings } from "../settings/settings.js";
import { SECRET_NAME, SECRET_URL } from "../stack/hidden-properties.js";
import { createInDoubtId } from "../stack/in-doubt.js";
import type { InterruptedCreate } from "../stack/recorded-facts.js";
import type { Inputs } from "./inputs.js";
import * as messages from "./messages.js";
import * as recovery from "./recovery-messages.js";
import { toState } from "./state.js";

// What the engine records of a create or an update that failed.

type Outputs = Record<string, unknown>;

/** An error under whose id the engine records a resource. */
export type Recorded = WebhookError & { id: string; properties: Outputs };

/**
 * Makes the engine keep a failed create or update under its id, and call update for it the next time. The SDK adds
 * `__provider` to results only: without it here, nothing could ever be done with the recorded webhook again.
 */
export function asRecorded(error: WebhookError, id: string, properties: Outputs): Recorded {
  return Object.assign(error, { id, properties, reasons: [error.message] });
}

/** Reports whether an error makes the engine record a resource. */
export function isRecorded(error: unknown): error is Recorded {
  return error instanceof WebhookError && "properties" in error;
}

/**
 * Returns the outputs of a webhook for the record of a failed update. The engine takes as secrets what is one in the new
 * inputs, so a url or a name that was a secret before would be in plain text.
 */
export function keepSecret({ [SECRET_URL]: isUrl, [SECRET_NAME]: isName, ...outputs }: Outputs): Outputs {
  const { url, name } = outputs;
  return {
    ...outputs,
    ...(isUrl === true && { [SECRET_URL]: isUrl, url: toSecret(url) }),
    ...(isName === true && { [SECRET_NAME]: isName, name: toSecret(name) }),
  };
}

/** Marks a value as a secret for the engine, as the SDK does. */
function toSecret(value: unknown): Outputs {
  return { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value };
}

interface Sent {
  __provider: unknown;
  inputs: Inputs;
  settings: Settings;
  sentAt: Date;
}

/** Returns the error with which the engine records a webhook whose create has an unknown outcome. */
export function toInDoubtFailure({
  __provider,
  inputs,
  settings,
  sentAt,
  reason,
}: Sent & { reason: string }): Recorded {
  const id = createInDoubtId(sentAt);
  const failure = messages.inDoubtError({ id, webhook: inputs, reason });
  return asRecorded(failure, id, { __provider, ...toState({ inputs, settings, reply: {} }) });
}

interface Interrupted extends Omit<Sent, "sentAt"> {
  /** What check returned. */
  interrupted: InterruptedCreate;
}

/** Returns the error with which it records one as the interrupted create sent it, as far as the state shows that. */
export function toInterruptedFailure({ __provider, inputs, settings, interrupted }: Interrupted): Recorded {
  const { at, url = inputs.url, name = inputs.name, enabled = inputs.enabled } = interrupted;
  const sent = { ...inputs, url, name, enabled };
  const { baseUrl = settings.baseUrl } = interrupted; // The setting may have changed since.
  const reason =
    baseUrl === settings.baseUrl ? recovery.RUN_KILLED : `${recovery.RUN_KILLED} It was sent to ${baseUrl}.`;
  const id = createInDoubtId(new Date(at));
  const webhook = {
    ...toState({ inputs: sent, settings: { ...settings, baseUrl }, reply: {} }),
    interrupted: true,
  };
  return asRecorded(messages.inDoubtError({ id, webhook, reason }), id, { __provider, ...webhook });
}
