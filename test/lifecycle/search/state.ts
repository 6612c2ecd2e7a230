import { hash } from "node:crypto";
import { vi } from "vitest";
import { SECRET_SIGNATURE, SIGNATURE } from "../../../src/record/special-values.js";
import { typeOf } from "../../../src/record/urn.js";
import {
  type ExportedResource,
  PLUGIN_TYPE,
  type StackExport,
  WEBHOOK_TYPE,
} from "../../../src/stack/stack-export.js";
import type { Stored } from "./api.js";

/** The keys of an account, one of which replaces the other, and that of another account. */
export const KEYS = { own: "key-canary-4711", rotated: "key-canary-4713", other: "key-canary-4712" };
export type KeyName = keyof typeof KEYS;

const ACCOUNTS: Record<string, string> = { [KEYS.own]: "", [KEYS.rotated]: "", [KEYS.other]: "other/" };
/** Returns what the ids in the account of a key begin with in the search. A request and a record have the rest of it. */
export const accountOf = (key: string): string | undefined => ACCOUNTS[key];
export const shownId = (id: string) => id.replace("other/", "");
export const BASE_URL = "http://localhost:8080";

export type Properties = Record<string, unknown>;

/** A webhook as the program declares it. */
export interface Declaration {
  url: string;
  name: string;
  enabled: boolean;
  secret: string;
  import?: string;
  /** Its Provider. Default: the one of its name. */
  provider?: string;
  /** The name that the resource had before. */
  alias?: string;
}

/** All that lasts from one command to the next: what the world is in between. */
export interface State {
  face: "dynamic" | "plugin";
  /** The declarations by logical name, in their order. */
  program: Record<string, Declaration>;
  /** What `pulumi stack export` prints. */
  stack: StackExport & {
    deployment: Required<
      Pick<NonNullable<StackExport["deployment"]>, "manifest" | "resources" | "pending_operations">
    >;
  };
  /** The files of notes of this machine. */
  notes: string[];
  elsewhere: string[];
  webhooks: Stored[];
  /** The ids of webhooks that may be gone: the error of a delete has said that. */
  gone: string[];
  drift: "off" | "probe";
  /** The key in the stack's config: that of the default Provider. */
  key: KeyName;
  /** The option `refresh` in Pulumi.yaml. */
  refresh?: "always" | undefined;
  clock: number;
  /** The number of the last webhook, by account. */
  lastIds: Record<string, number>;
  nextNonce: number;
}

export const STACK = "dev";
export const PROJECT = "shop";
export const NAME = { organization: undefined, project: PROJECT, stack: STACK };
const PREFIX = `urn:pulumi:${STACK}::${PROJECT}::`;

const TYPES = { dynamic: WEBHOOK_TYPE, plugin: PLUGIN_TYPE };
const PACKAGES = { dynamic: "pulumi-nodejs", plugin: "webhooks" };
const PROVIDER_ID = "a-guid";

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

/** The Providers as the state has them. The default one of the dynamic provider has no inputs. */
function providersOf(state: Pick<State, "face" | "drift">): ExportedResource[] {
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
  `${PREFIX}pulumi:providers:${PACKAGES[face]}::${name}`;
export const providerReference = (state: OfFace, name: string) =>
  `${providerUrn(state, name)}::${PROVIDER_ID}`;
export const recordedProvider = ({ provider = "" }: Pick<ExportedResource, "provider">) =>
  provider.split("::").at(-2) ?? "";
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
export const keyOfProvider = ({ key }: Pick<State, "key">, name: string) =>
  KEYS[name === "default" ? key : name === "other" ? "other" : "own"];
/** Returns the records of webhooks: nothing else in the stack has a Provider. */
export const recordsIn = ({ stack }: Pick<State, "stack">) =>
  stack.deployment.resources.filter(({ provider }) => provider !== undefined);
/** Reports whether a record is of a create without a clear outcome. */
export const isInDoubt = ({ id = "" }: Pick<ExportedResource, "id">) => id.startsWith("in-doubt:");
export const urnOf = ({ face }: OfFace, name: string) => `${PREFIX}${TYPES[face]}::${name}`;
export const nameOf = (urn: string) => urn.split("::").at(-1) ?? "";

/** The earliest time of a history. A webhook of somebody else, which looks like those of the program, is a year older. */
const START = Date.UTC(2026, 0, 1);
// Without a fraction of a second, two records of it may be of two accounts.
export const LONG_AGO = "2025-01-01T00:00:00.123Z";
export const ARGS = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };

/** The program declares its webhooks. Nothing was deployed yet. */
export function firstState(names: readonly string[], given: Pick<State, "face" | "drift">): State {
  // Without a webhook in the other account nothing shows that the ids of both are alike.
  const others = names.some((name) => providerOf(name) === "other") ? 100 : 500;
  const foreign = { ...ARGS, secret: "whsec-of-a-stranger", createdAt: LONG_AGO, updatedAt: LONG_AGO };
  return {
    ...given,
    program: Object.fromEntries(names.map((name) => [name, { ...ARGS, secret: SECRETS.a }])),
    stack: {
      deployment: { manifest: { time: timeOf(0) }, resources: providersOf(given), pending_operations: [] },
    },
    notes: [],
    elsewhere: [],
    webhooks: [
      { ...foreign, id: "wh-100" },
      { ...foreign, id: `other/wh-${others}`, createdAt: "2025-02-02T00:00:00.000Z" },
    ],
    gone: [],
    key: "own",
    clock: 1,
    lastIds: { "": 100, "other/": others },
    nextNonce: 1,
  };
}
const timeOf = (clock: number) => new Date(START + clock * 1000).toISOString();
export function waitUntil(state: State, time: number): void {
  state.clock = Math.max(state.clock, Math.ceil((time - START) / 1000));
  tick(state);
}
export function tick(state: State): string {
  const time = timeOf(state.clock++);
  vi.setSystemTime(time);
  return time;
}

/**
 * Writes a state so that two which differ in nothing that matters are the same text: ids and secrets in the order in which they
 * appear, times by their rank, nothing random.
 */
function toCanonical({ program, stack, notes, elsewhere, webhooks, gone, key }: State): string {
  const { manifest, resources, pending_operations: pending } = stack.deployment;
  const text = JSON.stringify([
    Object.entries(program),
    resources.map(withoutTimes),
    pending.map(({ type, resource }) => [type, withoutTimes(resource)]),
    manifest.time,
    notes,
    elsewhere,
    webhooks.map(({ createdAt, updatedAt, ...webhook }) => webhook),
    gone.filter((id) => resources.some((record) => record.id === id)),
    key,
  ]);
  const times = [...new Set(text.match(TIME))].sort();
  const found: string[] = [];
  const nonces: string[] = [];
  const rankNonce = (_: string, before: string, nonce: string) => {
    if (!nonces.includes(nonce)) nonces.push(nonce);
    return `${before}n${nonces.indexOf(nonce)}`;
  };
  const rank = (_: string, before: string, item: string) => {
    if (!found.includes(item)) found.push(item);
    return `${before}${found.indexOf(item)}`;
  };
  return (
    text
      // When a step begins, no earlier create may take effect any more.
      .replace(/(__key":"[\w-]{12})[0-9a-z]{6}/g, "$1")
      .replace(/"until\\":\\"[^"]*"|\+\d+-[0-9a-f]{4}/g, "")
      .replace(/(__key":"[\w-]{8}|nonce\\":\\")([\w-]{4})/g, rankNonce)
      .replace(TIME, (time) => `t${times.indexOf(time)}`)
      .replace(/(wh-)(\d+)/g, rank)
      .replace(SECRET_LETTER, rank)
  );
}

const SECRET_LETTER = /(whsec-canary-|sealed )([ab])/g;

export const otherSecret = (secret: string) => (secret === SECRETS.a ? SECRETS.b : SECRETS.a);

/** Returns the first secret in a state. Nothing depends on which of the two it is. */
export function firstSecret(state: State): string {
  const [letter = "a"] = /(?<=whsec-canary-|sealed )[ab]/.exec(JSON.stringify(state)) ?? [];
  return SECRETS[letter as "a" | "b"];
}

/** Returns what two states have in common that differ in nothing that matters. */
export const keyOf = (state: State) => hash("sha1", toCanonical(state), "base64");

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A record without the times of the API, which no operation without a probe compares, and without the text of errors. */
function withoutTimes({ modified, initErrors, outputs, ...record }: ExportedResource) {
  const { createdAt, updatedAt, ...rest } = outputs ?? {};
  return { ...record, outputs: rest, hasFailed: (initErrors ?? []).length > 0 };
}

export function seal({ secret, ...properties }: Properties): Properties {
  if (typeof secret !== "string") return { ...properties };
  return {
    ...properties,
    secret: {
      [SIGNATURE]: SECRET_SIGNATURE,
      ciphertext: `sealed ${secret.at(-1)}`,
    },
  };
}

/** The secrets by what stands for them in the state: their last letter. */
export const SECRETS = { a: "whsec-canary-a", b: "whsec-canary-b" };

export function unseal(properties: Properties = {}): Properties {
  const { ciphertext } = Object(properties.secret);
  if (ciphertext === undefined) return { ...properties };
  return { ...properties, secret: SECRETS[String(ciphertext).at(-1) as "a" | "b"] };
}
