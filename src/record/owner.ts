/** A record of a webhook, as far as it shows who has an id. */
export interface Owner {
  urn: string;
  /** Undefined if it is a secret. */
  baseUrl?: string;
  /** The explicit Provider. The default one has none. */
  provider?: string;
}

/** A resource that is to have an id. */
interface Claimant {
  urn: string | undefined;
  provider: string | undefined;
  /** The base URL, and previous ones of the same API. Empty if it is unknown. */
  baseUrls: readonly string[];
}

/**
 * Finds another resource that has an id: an id is one webhook at one base URL, whichever Provider manages it. If a base URL is a
 * secret, the Providers are compared instead.
 *
 * @param owners those that have the id.
 * @returns its URN.
 */
export function findOwner(
  owners: readonly Owner[],
  { urn, provider, baseUrls }: Claimant,
): string | undefined {
  const others = owners.filter((owner) => owner.urn !== urn);
  return others.find((owner) =>
    owner.baseUrl === undefined || baseUrls.length === 0
      ? owner.provider === provider
      : baseUrls.includes(owner.baseUrl),
  )?.urn;
}
