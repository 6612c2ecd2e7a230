import type { SentCreate } from "../journal/journal.js";

/**
 * What the stack's state says of one resource when a run starts.
 *
 * Its size does not grow with the stack. The program reads it, since it starts before any provider, and one reading serves
 * all Providers.
 */
export interface Past {
  /** The id under which the resource is recorded. */
  recordedId?: string;
  /** The ids of the webhooks that earlier runs replaced, and that wait for their deletion. */
  replacedIds?: string[];
  /** Whether it is unknown which webhook is recorded: it is in doubt, or no update has confirmed an id that was entered. */
  isInDoubt?: true;
  /** Whether the reply to its create contradicted what was sent, and no update has confirmed it since. */
  isUnconfirmed?: true;
  /** Whether another resource of the same Provider is recorded under the same id. */
  isShared?: true;
  /** Whether it was deleted for a replacement that does not exist yet. */
  isDeleted?: true;
  /** Whether the engine imported it, by an option of its own, and no update has confirmed its id since. */
  isImported?: true;
  /** The Provider that manages the resource. Without a name it is the default one. */
  provider?: { name?: string };
  /** The create of this resource during which a run was killed, if its outcome is unknown. */
  interrupted?: InterruptedCreate;
  /** An earlier URN of this resource, by an alias, under which a create was interrupted whose outcome is unknown. */
  interruptedAs?: string;
  /** Whether a run was killed during the create of any webhook of the stack, and its outcome is unknown. */
  hasInterruptedStack?: true;
  /** The same, or whether the create of any webhook of the stack is in doubt. */
  hasUnresolvedStack?: true;
  /** Whether an engine was killed during an update or a delete of this resource. */
  hasInterruptedChange?: true;
  /** The resources that have the webhook which the program imports, or import it, too. */
  holders?: Holder[];
  /** The URN of another webhook whose create has an unknown outcome, and that may be this one under an earlier name. */
  twin?: string;
}

/**
 * A create during which a run was killed. The state shows what it sent, except for secrets, if the engine was killed: it
 * forgets the create if only the provider's process dies. Then this machine's journal shows it, without what it sent.
 */
export interface InterruptedCreate {
  /**
   * When it was sent, in ISO 8601, or when the engine last saved the state. Then it was sent at about that time or
   * earlier: the state does not show when, and later runs save it too.
   */
  at: string;
  /** What the journal shows of it, and whether the state lists it as pending, too. */
  noted?: Pick<SentCreate, "account" | "secret" | "reply"> & { isPending?: true };
  url?: string;
  name?: string;
  enabled?: boolean;
  /** The URL of the API that it was sent to. The state does not show one that came from the environment. */
  baseUrl?: string;
}

/** A resource that has a webhook. */
export interface Holder {
  urn: string;
  /** Whether it is the resource that imports the webhook. */
  isOwn: boolean;
  /** The API's URL: recorded, or as the program sets it. Undefined if the state does not show it. */
  baseUrl?: string | undefined;
  /** Whether its Provider has another API key, and so is another account. */
  hasOtherKey?: boolean;
}
