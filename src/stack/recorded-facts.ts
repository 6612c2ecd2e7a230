/**
 * What the stack's state holds that concerns one webhook.
 *
 * The program reads it, and passes it to the provider, which cannot: the engine passes a provider neither the URN of a
 * resource nor the name of the stack.
 */
export interface RecordedFacts {
  /** The create of this resource during which an engine was killed, if its outcome is unknown. */
  interrupted?: InterruptedCreate;
  /** An earlier URN of this resource, by an alias, under which a create was interrupted whose outcome is unknown. */
  interruptedAs?: string;
  /** The Provider that manages this resource, if it is in doubt, was interrupted, or has an id that is not verified. */
  unresolvedWith?: { provider?: string };
  /** The id under which the resource is recorded. */
  recordedId?: string;
  /**
   * The webhooks that an earlier run replaced, while it is unknown whether their replacement exists. After that, only
   * `recordedId`, if a create returned the id of the webhook that it was to replace.
   */
  replacedIds?: string[];
  /** The resources that have the webhook which the program imports, or import it, too. */
  holders?: Holder[];
  /** The other webhooks of the stack whose create has an unknown outcome. */
  unresolved?: UnresolvedWebhook[];
  /** The resource's logical name, which is the default name of the webhook. It is set along with `unresolved`. */
  logicalName?: string;
}

/** A create during which an engine was killed. The state shows what it sent, except for secrets. */
export interface InterruptedCreate {
  /**
   * When the engine last saved the state, in ISO 8601. The create was sent at about that time or earlier: the state does
   * not show when, and later runs save it too.
   */
  at: string;
  url?: string;
  name?: string;
  enabled?: boolean;
  /** The URL of the API that it was sent to. The state does not show one that came from the environment. */
  baseUrl?: string;
}

/** A resource that has a webhook. */
export interface Holder {
  urn: string;
  /** Whether it is a record of the resource that imports the webhook. */
  isOwn: boolean;
  /** The API's URL: recorded, or as the program sets it. */
  baseUrl?: string;
}

/** A webhook whose create has an unknown outcome. */
export interface UnresolvedWebhook {
  urn: string;
  /** The resource's logical name. */
  logicalName: string;
  url?: string;
  name?: string;
}
