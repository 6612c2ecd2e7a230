import type { MachineProcess } from "./processes.js";

// What a file of notes holds: a line of JSON each. A process writes one file, and adds lines only.

/** The first line of a file of notes: the process that writes it. */
export interface FileHeader extends MachineProcess {
  /** The address of the engine that has started the process. */
  engine: string | undefined;
}

/** What is noted of a create. Nothing of it is anybody's secret: the program has the name and the url. */
export interface SentCreate {
  /** What the create's inputs have, too, and so its pending operation. */
  nonce: string | undefined;
  urn: string;
  /** The explicit Provider of the resource. Undefined for the default one. */
  provider?: string | undefined;
  /** The id of the webhook that it is to replace. */
  replaces?: string | undefined;
  /** When it was sent, and until when it may take effect, in ISO 8601. */
  sentAt: string;
  until: string;
  /** The hash of the API's base URL, which may be a secret. */
  api: string;
  /** The mark of the Provider and the key that sent it, for its record: see `seenByOf`. */
  seenBy?: string | undefined;
  reply?: { id: string; createdAt?: string | undefined } | undefined;
  /** When its result went to the engine, in ISO 8601: a state that was saved later shows it. Empty once it was unresolved: no later state settles it. */
  endedAt?: string;
}

/** A line about one create. Those with the same number add up. */
export type CreateLine = { create: number } & Partial<SentCreate> & {
    /** Whether the create certainly had no effect, or a state shows what became of it. */
    isOver?: true;
  };

/** A line about the run. */
export interface RunLine {
  /** Whether the process has read the state, and found no create with an unknown outcome. */
  isGateOpen?: true;
  /** The organization of the stack of its creates: several may have stacks of the same name. Undefined if it has none. */
  organization?: string | undefined;
  /** Whether no create is under way, and the engine has the results of all. */
  isIdle?: boolean;
  /** Whether the engine let it end: no create of it was cut off. */
  hasEnded?: true;
}
