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

export const KEY = "key-canary-4711";
export const BASE_URL = "http://localhost:8080";

export type Properties = Record<string, unknown>;

/** A webhook as the program declares it. */
export interface Declaration {
  url: string;
  name: string;
  enabled: boolean;
  secret: string;
  import?: string;
  /** The name that the resource had before. */
  alias?: string;
}

/** All that lasts from one command to the next: what the world is in between. */
export interface State {
  /** How Pulumi reaches the lifecycle. */
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
  /** Those of the other machine. */
  elsewhere: string[];
  /** What `pulumi state move` has taken to another stack. */
  moved: { record: ExportedResource; declared: Declaration }[];
  /** The webhooks at the API. */
  webhooks: Stored[];
  /** The ids of webhooks that may be gone: the error of a delete has said that. */
  gone: string[];
  /** The setting of the stack's config. */
  drift: "off" | "probe";
  clock: number;
  nextId: number;
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

export const settingsOf = ({ drift }: Pick<State, "drift">) => ({
  apiKey: KEY,
  baseUrl: BASE_URL,
  drift,
  // Less than the first pause before a retry: nothing is sent twice.
  deadlineSeconds: "0.1",
});

/** The default Provider, and another one with the same account. The default one of the dynamic provider has no inputs. */
function providersOf(state: Pick<State, "face" | "drift">): ExportedResource[] {
  const apiKey = { [SIGNATURE]: SECRET_SIGNATURE, ciphertext: "sealed key" };
  const settings: Properties = { ...settingsOf(state), apiKey };
  const config = Object.entries({ explicitProvider: "eu", ...settings });
  const explicit = Object.fromEntries(config.map(([name, value]) => [`webhooks:${name}`, value]));
  const inputs = { dynamic: [{}, explicit], plugin: [settings, settings] }[state.face];
  return inputs.map((given, index) => {
    const urn = providerUrn(state, index === 0 ? undefined : "eu");
    return { urn, type: typeOf(urn), id: PROVIDER_ID, inputs: given };
  });
}

/** Returns the name of the explicit Provider of a webhook. Those of the default one have other names. */
export const providerOf = (name: string) => (name.startsWith("eu-") ? "eu" : undefined);
/** @param name that of an explicit Provider. */
export const providerUrn = ({ face }: OfFace, name = "default") =>
  `${PREFIX}pulumi:providers:${PACKAGES[face]}::${name}`;
export const providerReference = (state: OfFace, name: string) =>
  `${providerUrn(state, providerOf(name))}::${PROVIDER_ID}`;
export const urnOf = ({ face }: OfFace, name: string) => `${PREFIX}${TYPES[face]}::${name}`;
export const nameOf = (urn: string) => urn.split("::").at(-1) ?? "";

/** The earliest time of a history. A webhook of somebody else, which looks like those of the program, is a year older. */
const START = Date.UTC(2026, 0, 1);
export const LONG_AGO = "2025-01-01T00:00:00.000Z";

/** What every webhook is declared with at first. */
export const ARGS = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };

/** The program declares its webhooks. Nothing was deployed yet. */
export function firstState(names: readonly string[], given: Pick<State, "face" | "drift">): State {
  return {
    ...given,
    program: Object.fromEntries(names.map((name) => [name, { ...ARGS, secret: SECRETS.a }])),
    stack: {
      deployment: { manifest: { time: timeOf(0) }, resources: providersOf(given), pending_operations: [] },
    },
    notes: [],
    elsewhere: [],
    moved: [],
    webhooks: [
      { ...ARGS, id: "wh-100", secret: "whsec-of-a-stranger", createdAt: LONG_AGO, updatedAt: LONG_AGO },
    ],
    gone: [],
    clock: 1,
    nextId: 101,
    nextNonce: 1,
  };
}

/** The time after a number of seconds. */
const timeOf = (clock: number) => new Date(START + clock * 1000).toISOString();

/** Lets time pass until a moment. */
export function waitUntil(state: State, time: number): void {
  state.clock = Math.max(state.clock, Math.ceil((time - START) / 1000));
  tick(state);
}

/** Lets a second pass. */
export function tick(state: State): string {
  const time = timeOf(state.clock++);
  vi.setSystemTime(time);
  return time;
}

/**
 * Writes a state so that two which differ in nothing that matters are the same text: ids and secrets in the order in which they
 * appear, times by their rank, nothing random.
 */
function toCanonical({ program, stack, notes, elsewhere, moved, webhooks, gone }: State): string {
  const { manifest, resources, pending_operations: pending } = stack.deployment;
  const text = JSON.stringify([
    Object.entries(program),
    resources.map(withoutTimes),
    pending.map(({ type, resource }) => [type, withoutTimes(resource)]),
    manifest.time,
    notes,
    elsewhere,
    moved.map(({ record, declared }) => [withoutTimes(record), declared]),
    webhooks.map(({ createdAt, updatedAt, ...webhook }) => webhook),
    gone.filter((id) => resources.some((record) => record.id === id)),
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

/** Returns outputs with their secret in plain text. */
export const shown = (outputs: Properties | undefined): Properties => unseal(outputs);
