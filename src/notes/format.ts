// What a file of notes holds: a line of JSON each. A process writes one file, and adds lines only.

/** A create, as it is noted when it is sent: never with the key, and without what is a Pulumi secret. */
export interface SentCreate {
  urn: string;
  /** The organization of the stack: several may have stacks of the same name. A plugin does not know it. */
  organization?: string | undefined;
  /** The explicit Provider of the resource. Undefined for the default one. */
  provider?: string | undefined;
  /** When it was sent, in ISO 8601. */
  sentAt: string;
  /** The hash of the API's base URL, which may be a secret. */
  api: string;
  baseUrl?: string | undefined;
  url?: string | undefined;
  name?: string | undefined;
  enabled?: boolean | undefined;
  /** That of the webhook's secret. Undefined if it has none. */
  fingerprint?: string | undefined;
}

/** What the reply to a create says. */
export interface CreateReply {
  id: string;
  createdAt?: string | undefined;
}

/** The first line of a file of notes. */
export interface FileHeader {
  /** The process that writes it. */
  pid: number;
  /** The address of the engine that has started the process. */
  engine: string | undefined;
}

/** A line about one create. Those with the same number add up. */
export type CreateLine = { create: number } & Partial<SentCreate> & {
    reply?: CreateReply;
    /** Whether the create certainly had no effect, or its webhook is known to be recorded or deleted. */
    isOver?: true;
  };

/** A webhook that a run imports. */
export interface NotedImport {
  urn: string;
  id: string;
  api: string;
}

/** A webhook, as the reply to its create shows it. */
export interface Created extends CreateReply {
  api: string;
  /** The explicit Provider. Undefined for the default one. */
  provider: string | undefined;
}

/** A line about the run. */
export interface RunLine {
  /** Whether the process has read the state, and found no create with an unknown outcome. */
  isGateOpen?: true;
  /** When it began its first operation, in ISO 8601, and on which resource. A preview begins none. */
  beganAt?: string;
  urn?: string;
  imports?: NotedImport;
  /** Whether the run may delete nothing more: a webhook of it may have no replacement. */
  holdsDeletes?: true;
}
