/**
 * What the stack's state holds that concerns one webhook.
 *
 * The program reads it, and passes it to the provider, which cannot: the engine passes a provider neither the URN of a
 * resource nor the name of the stack.
 */
export interface RecordedFacts {
  /** The create of this resource during which an engine was killed, if its outcome is unknown. */
  interrupted?: InterruptedCreate;
  /** The records of the webhook that the program imports. */
  holders?: Holder[];
  /** The other webhooks of the stack whose create has an unknown outcome. */
  unresolved?: UnresolvedWebhook[];
}

/** A create during which an engine was killed. The state shows what it sent, except for secrets. */
export interface InterruptedCreate {
  /** When the engine last saved the state, in ISO 8601: the create was sent at about that time. */
  at: string;
  url?: string;
  name?: string;
  enabled?: boolean;
}

/** A record of a webhook. */
export interface Holder {
  urn: string;
  /** Whether it is a record of the resource that imports the webhook. */
  isOwn: boolean;
  baseUrl?: string;
}

/** A webhook whose create has an unknown outcome. */
export interface UnresolvedWebhook {
  urn: string;
  url?: string;
  name?: string;
}
