import { vi } from "vitest";
import type { StackExport } from "../../../src/stack/stack-export.js";
import { type accountOf, type KeyName, providerOf, providersOf } from "./accounts.js";
import type { Stored } from "./api.js";
import { SECRETS } from "./records.js";

export type Properties = Record<string, unknown>;

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
  refresh?: "always" | undefined;
  clock: number;
  /** The number of the last webhook, by account. */
  lastIds: Record<ReturnType<typeof accountOf>, number>;
  nextNonce: number;
}

/** The earliest time of a history. A webhook of somebody else, which looks like those of the program, is a year older. */
const START = Date.UTC(2026, 0, 1);
// Without a fraction of a second, two records of it may be of two accounts.
export const LONG_AGO = "2025-01-01T00:00:00.123Z";
export const ARGS = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };

/** The program declares its webhooks. Nothing was deployed yet. */
export function firstState(names: readonly string[], given: Pick<State, "face" | "drift">): State {
  // Without a webhook in the other account nothing shows that the ids of both are alike.
  const others = names.some((name) => providerOf(name) === "other") ? 100 : 500;
  const resources = providersOf(given);
  const foreign = { ...ARGS, secret: "whsec-of-a-stranger", createdAt: LONG_AGO, updatedAt: LONG_AGO };
  return {
    ...given,
    program: Object.fromEntries(names.map((name) => [name, { ...ARGS, secret: SECRETS.a }])),
    stack: { deployment: { manifest: { time: timeOf(0) }, resources, pending_operations: [] } },
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
