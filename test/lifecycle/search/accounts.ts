import { SECRET_SIGNATURE, SIGNATURE } from "../../../src/record/special-values.js";
import { typeOf } from "../../../src/record/urn.js";
import type { ExportedResource } from "../../../src/stack/stack-export.js";
import type { Properties, State } from "./state.js";

/** The keys of an account, one of which replaces the other, and that of another account. */
export const KEYS = { own: "key-canary-4711", rotated: "key-canary-4713", other: "key-canary-4712" };
export type KeyName = keyof typeof KEYS;

/** Returns what the ids in the account of a key begin with in the search. A request and a record have the rest of it. */
export const accountOf = (key: string) => (key === KEYS.other ? "other/" : "");
export const shownId = (id: string) => id.replace("other/", "");
export const BASE_URL = "http://localhost:8080";

export const STACK = "dev";
export const PROJECT = "shop";
export const NAME = { organization: undefined, project: PROJECT, stack: STACK };
export const PREFIX = `urn:pulumi:${STACK}::${PROJECT}::`;

type OfFace = Pick<State, "face">;

export const settingsOf = ({ drift }: Pick<State, "drift">, apiKey: string) => ({
  apiKey,
  baseUrl: BASE_URL,
  drift,
  // Less than the first pause before a retry: nothing is sent twice.
  deadlineSeconds: "0.1",
});

/** The default Provider, another one with the same account, and one with another account. */
export const PROVIDERS = ["default", "eu", "other"] as const;

const PROVIDER_ID = "a-guid";

/** The Providers as the state has them. The default one of the dynamic provider has no inputs. */
export function providersOf(state: Pick<State, "face" | "drift">): ExportedResource[] {
  const apiKey = { [SIGNATURE]: SECRET_SIGNATURE, ciphertext: "sealed key" };
  const settings: Properties = { ...settingsOf(state, ""), apiKey };
  return PROVIDERS.map((name) => {
    const config = Object.entries({ explicitProvider: name, ...settings });
    const explicit = Object.fromEntries(config.map(([key, value]) => [`webhooks:${key}`, value]));
    const inputs = { dynamic: name === "default" ? {} : explicit, plugin: settings }[state.face];
    const urn = providerUrn(state, name);
    return { urn, type: typeOf(urn), id: PROVIDER_ID, inputs };
  });
}

/** Returns the name of the Provider of a webhook, unless it is declared with one: the name of the webhook begins with it. */
export const providerOf = (name: string): string =>
  PROVIDERS.find((provider) => name.startsWith(`${provider}-`)) ?? "default";

export const providerUrn = ({ face }: OfFace, name: string) =>
  `${PREFIX}pulumi:providers:${{ dynamic: "pulumi-nodejs", plugin: "webhooks" }[face]}::${name}`;

export const providerReference = (state: OfFace, name: string) =>
  `${providerUrn(state, name)}::${PROVIDER_ID}`;

export const recordedProvider = ({ provider = "" }: Pick<ExportedResource, "provider">) =>
  provider.split("::").at(-2) ?? "";

export const keyOfProvider = ({ key }: Pick<State, "key">, name: string) => KEYS[EXPLICIT_KEYS[name] ?? key];
const EXPLICIT_KEYS: Record<string, KeyName> = { eu: "own", other: "other" };
