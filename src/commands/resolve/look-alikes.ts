import { logicalNameOf } from "../../record/urn.js";
import { isSameName } from "../../record/webhook-name.js";
import { findProviderName } from "../../stack/providers.js";
import { findWebhooks, isKnown, type StackExport } from "../../stack/stack-export.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";

/** The account that shows a webhook in its dashboard. Webhooks of two accounts may have the same id. */
export interface Dashboard {
  /** The explicit Provider. The default one has none. */
  provider?: string | undefined;
  /** Undefined if it is a secret, or not known. */
  baseUrl?: string | undefined;
}

/** A known webhook that a person could take for the one of a create: it must stay. */
export interface LookAlike extends Dashboard {
  id: string;
  /** The logical name of its resource. */
  resource: string;
}

/** Returns the dashboard that shows a webhook, by the reference of its Provider. */
export function dashboardOf({ provider, baseUrl }: Dashboard): Dashboard {
  return { provider: findProviderName(provider), baseUrl };
}

/**
 * Finds the webhooks that a person could take for the one of a create, because he sees names, urls and times: the one that it was to
 * replace, whatever that is called, and those of the same url or name. If the id in its reply is
 * noted, he needs nothing else, unless another webhook has it. What this machine knows of the other creates counts, too.
 */
export function findLookAlikes(
  create: UnresolvedCreate,
  { exported, creates }: { exported: StackExport; creates: readonly UnresolvedCreate[] },
): LookAlike[] {
  const { urn, resource, replacedId, notedId } = create;
  const own = [urn, ...(resource.aliases ?? [])];
  const made = creates.flatMap(({ made, name, url, baseUrl, ...one }) =>
    made === undefined || one.urn === urn ? [] : { ...one, id: made.id, outputs: { name, url, baseUrl } },
  );
  const known = [...findWebhooks(exported).filter(isKnown), ...made];
  const hasId = (shown: string | undefined, { id, outputs }: (typeof known)[number]) =>
    id === shown && [undefined, outputs?.baseUrl].includes(create.baseUrl);
  if (notedId !== undefined && !known.some((one) => hasId(notedId, one))) return [];
  return known
    .filter(
      (one) => own.includes(one.urn) || hasId(notedId ?? replacedId, one) || looksLike(create, one.outputs),
    )
    .map(({ id, urn, provider, outputs }) => ({
      id,
      resource: logicalNameOf(urn),
      ...dashboardOf({ provider, baseUrl: textOf(outputs?.baseUrl) }),
    }));
}

function looksLike({ url, name }: UnresolvedCreate, outputs: Record<string, unknown> = {}): boolean {
  const [otherName = "", apiName] = [outputs.name, outputs.apiName].map(textOf);
  const hasUrl = url !== undefined && url === outputs.url;
  return hasUrl || (name !== undefined && isSameName(name, { name: otherName, apiName }));
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
