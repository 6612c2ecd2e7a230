import { randomBytes } from "node:crypto";
import { INPUTS } from "./fields.js";
import { shortHash } from "./hashes.js";
import type { Past } from "./past.js";

/**
 * All that a stack's state has of one webhook. Pulumi shows no property whose name begins with two underscores. `secret` and
 * `generatedSecret` are always secrets, other fields and `baseUrl` if the program makes them secrets.
 *
 * | property | in | holds | written by |
 * |---|---|---|---|
 * | those of `FIELDS` | both | inputs: what is declared; outputs: what was sent and replied last | each operation |
 * | `import` | inputs | the id that a program of the dynamic provider imports | the program |
 * | `baseUrl` | outputs | the API at which it exists: never look for it at another account's | create, update, import |
 * | `apiName` | outputs | a hash of the name in the last reply, if that was not the one that was sent | create, update, read |
 * | `changedOutsidePulumi` | both | when the API changed it, if not by Pulumi. An update removes it | read |
 * | `unconfirmed` | outputs | true: it is *sent again*. An update removes it | create, update, read, `resolve` |
 * | `imported` | outputs | true: the engine *imported* it. An update removes it | import by the engine |
 * | `__seenBy` | outputs | the mark of the Provider and the key that saw it last. Version 0.1.0 wrote none | all requests |
 * | `__createdAbout` | outputs | when the API replied to its create, until a reply has `createdAt` | create |
 * | `__replaces` | outputs | the id that an unresolved create was to replace | create, `resolve` |
 * | `__noted` | outputs | the id in the reply to an unresolved create, if only a note has shown it | `resolve` |
 * | `__key` | inputs | a hash of its URN, and the stamp of its create | check |
 * | `__provider` | both | `storedProvider`, for the dynamic provider, as the next two | the program |
 * | `__secrets` | both | the arguments that the program made secrets: the engine passes plain texts | the program |
 * | `__timeouts` | both | the option `customTimeouts` in seconds: the SDK does not pass it on, and a delete gets outputs only | the program |
 */
export const RESOURCE_KEY = "__key";
export const REPLACED_ID = "__replaces";
export const NOTED_ID = "__noted";
export const SECRETS = "__secrets";
export const TIMEOUTS = "__timeouts";

/**
 * The code that Pulumi stores with each webhook, and runs for each operation on it. It forwards to this package's provider, which Node
 * resolves from the program's directory.
 *
 * It is what `dynamic.Resource` would store, but without its serializer. A serialized provider has kilobytes, and differs
 * by release, loader and module system. Each difference would show as an update of every webhook, and the engine's time
 * grows with the bytes of state. This text never changes: an upgrade of the package changes no state, and old state runs
 * on the new code.
 *
 * It is a contract: `pulumi-webhooks/provider` must export `provider` for as long as there are stacks.
 */
export const storedProvider = 'exports.handler = () => require("pulumi-webhooks/provider").provider';

/** Returns the inputs that the option `ignoreChanges` names. */
export function ignoredOf(option: readonly string[] = []): string[] {
  return INPUTS.filter((name) => option.includes(name) || option.includes("*"));
}

// The engine passes a dynamic provider no URN, so check records a hash of it. The stored text could carry the hash instead, in inputs and
// outputs. But the SDK configures a provider per text, and records of earlier versions would keep a text without it. The nonce in the stamp
// ties a pending create to what this machine has noted of that very create, and of no other one of the resource.

const NONCE_LENGTH = 4;

/** Creates what follows the resource's key: the nonce of a create, and until when it may take effect. @param until in ISO 8601. */
export function createStamp(until: string): string {
  return randomBytes(3).toString("base64url") + Math.ceil(Date.parse(until) / 1000).toString(36);
}

/** Writes the value of RESOURCE_KEY. @param stamp none for a record of an earlier version. */
export function writeResourceKey(urn: string, stamp = ""): string {
  return resourceKeyOf(urn) + stamp;
}

export function resourceKeyOf(urn: string): string {
  return shortHash(urn);
}

/** Reads the value of RESOURCE_KEY among inputs. @returns also until when the create may take effect, in ISO 8601. */
export function readResourceKey({
  [RESOURCE_KEY]: value,
}: Record<string, unknown>): Partial<Record<"key" | "stamp" | "nonce" | "until", string>> {
  const [, key = "", stamp = ""] = /^(.{1,8})(.*)$/s.exec(typeof value === "string" ? value : "") ?? [];
  if (stamp === "") return key === "" ? {} : { key };
  const seconds = Number.parseInt(stamp.slice(NONCE_LENGTH), 36);
  const until = Number.isNaN(seconds) ? {} : { until: new Date(seconds * 1000).toISOString() };
  return { key, stamp, nonce: stamp.slice(0, NONCE_LENGTH), ...until };
}

/** What the program says of a resource: the JSON of a ResourceContext. Check removes it. One text, since the SDK takes time for each property. */
export const RESOURCE_CONTEXT = "__context";

/** The JSON of who has the webhook to import, for check. A preview may not know it yet, so it is no part of RESOURCE_CONTEXT. */
export const OWNERS = "__owners";

/** A record of a webhook, as far as it shows who has an id. */
export interface Owner {
  urn: string;
  /** Undefined if it is a secret. */
  baseUrl?: string;
}

/** What the program, or the plugin, says of a resource to check. */
export interface ResourceContext {
  urn: string;
  /** The organization of the stack. Undefined in a backend without organizations. */
  organization?: string | undefined;
  /** The names of the arguments that the program sets. One that has no value then is an error. */
  given: string[];
  /** The name if the program sets none. The program of the dynamic provider sets one itself. */
  defaultName?: string;
  /** What the option `ignoreChanges` names of the inputs, if anything. */
  ignored?: string[];
  /** What the state says of the resource. */
  past: Past;
  /** Why no webhook of the stack may be changed. Undefined if nothing is unresolved, or if a program runs in a preview. */
  gate?: string;
  /** The records of the stack that have the webhook which the option `import` names. Default: none. */
  owners?: readonly Owner[];
  /** The program that has read the state. */
  program?: {
    /** Its folder of notes, which stands for its backend. */
    notesFolder: string;
    /** A plugin does not know whether this is one: it refuses what only an up asks for. */
    isPreview: boolean;
  };
}
