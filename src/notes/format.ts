import type { ProcessMark } from "./processes.js";

// What a file of notes holds: a line of JSON each. A process writes one file, and adds lines only.

/** A create, as it is noted when it is sent. Nothing of it is anybody's secret. */
export interface SentCreate {
  /** What the create's inputs have, too, and so its pending operation. */
  nonce: string | undefined;
  urn: string;
  /** The organization of the stack: several may have stacks of the same name. Undefined in a backend without organizations. */
  organization?: string | undefined;
  /** The explicit Provider of the resource. Undefined for the default one. */
  provider?: string | undefined;
  /** Those of the webhook, unless they are Pulumi secrets. */
  url?: string;
  name?: string;
  /** When it was sent, and until when it may take effect, in ISO 8601. */
  sentAt: string;
  until: string;
  /** The hash of the API's base URL, which may be a secret. */
  api: string;
}

/** What the reply to a create says. */
export interface CreateReply {
  id: string;
  createdAt?: string | undefined;
}

/** The first line of a file of notes: the process that writes it. */
export interface FileHeader extends ProcessMark {
  /** The address of the engine that has started the process. */
  engine: string | undefined;
  /** Whether a state that the engine saves during the run does not show its creates. */
  hasNoCheckpoints?: true;
}

/** A line about one create. Those with the same number add up. */
export type CreateLine = { create: number } & Partial<SentCreate> & {
    reply?: CreateReply;
    /** Whether the create certainly had no effect, or its webhook is known to be recorded or deleted. */
    isOver?: true;
  };

/** A webhook at an API. */
export interface NotedWebhook {
  id: string;
  api: string;
}

/** A line about the run. */
export interface RunLine {
  /** Whether the process has read the state, and found no create with an unknown outcome. */
  isGateOpen?: true;
  /** When it began its first operation, in ISO 8601, and a resource of its stack. A preview begins none. */
  beganAt?: string;
  urn?: string;
  /** A webhook that it deletes, if it knows no resource of its stack, as in a destroy. */
  deletes?: NotedWebhook;
  /** Whether the engine let it end: no operation of it was cut off. */
  hasEnded?: true;
}
