import { SECRET_SIGNATURE, SIGNATURE } from "../../../src/record/special-values.js";
import { type ExportedResource, PLUGIN_TYPE, WEBHOOK_TYPE } from "../../../src/stack/stack-export.js";
import { accountOf, keyOfProvider, PREFIX, recordedProvider, shownId } from "./accounts.js";
import type { Stored } from "./api.js";
import type { Properties, State } from "./state.js";

/** Returns the records of webhooks: nothing else in the stack has a Provider. */
export const recordsIn = ({ stack }: Pick<State, "stack">) =>
  stack.deployment.resources.filter(({ provider }) => provider !== undefined);

/** Reports whether a record is of a create without a clear outcome. */
export const isInDoubt = ({ id = "" }: Pick<ExportedResource, "id">) => id.startsWith("in-doubt:");

const TYPES = { dynamic: WEBHOOK_TYPE, plugin: PLUGIN_TYPE };
export const urnOf = ({ face }: Pick<State, "face">, name: string) => `${PREFIX}${TYPES[face]}::${name}`;
export const nameOf = (urn: string) => urn.split("::").at(-1) ?? "";

/** Finds the webhook that a record is of, in whichever account it is. */
export function webhookOf(
  { webhooks, key }: Pick<State, "webhooks" | "key">,
  record: ExportedResource,
): Stored | undefined {
  const { createdAt } = record.outputs ?? {};
  const found = webhooks.filter(({ id }) => shownId(id) === record.id);
  return found.find((webhook) =>
    createdAt === undefined ? webhook.id === ownId({ key }, record) : webhook.createdAt === createdAt,
  );
}

/** Finds the records that a message means by an id, with their webhooks as far as these are there. */
export const meant = (state: Pick<State, "stack" | "webhooks" | "key">, id?: string) =>
  recordsIn(state).flatMap((record) =>
    record.id === id ? { record, webhook: webhookOf(state, record) } : [],
  );

/** Returns the id of a record as the search has it, of a webhook that is gone. */
export const ownId = (state: Pick<State, "key">, record: ExportedResource) =>
  `${accountOf(keyOfProvider(state, recordedProvider(record)))}${record.id}`;

/** The secrets by what stands for them in the state: their last letter. */
export const SECRETS = { a: "whsec-canary-a", b: "whsec-canary-b" };
export const otherSecret = (secret: string) => (secret === SECRETS.a ? SECRETS.b : SECRETS.a);

/** Returns the first secret in a state. Nothing depends on which of the two it is. */
export function firstSecret(state: State): string {
  const [letter = "a"] = /(?<=whsec-canary-|sealed )[ab]/.exec(JSON.stringify(state)) ?? [];
  return SECRETS[letter as "a" | "b"];
}

export function seal({ secret, ...properties }: Properties): Properties {
  if (typeof secret !== "string") return { ...properties };
  return { ...properties, secret: { [SIGNATURE]: SECRET_SIGNATURE, ciphertext: `sealed ${secret.at(-1)}` } };
}

export function unseal(properties: Properties = {}): Properties {
  const { ciphertext } = Object(properties.secret);
  if (ciphertext === undefined) return { ...properties };
  return { ...properties, secret: SECRETS[String(ciphertext).at(-1) as "a" | "b"] };
}
