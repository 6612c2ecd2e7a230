import type { Owner } from "../record/properties.js";
import { baseUrlsOf } from "../settings/settings.js";
import type { Resource } from "./run.js";
import type { Session } from "./session.js";

/**
 * Finds another resource that has the webhook which a resource imports: in this process, or in the stack.
 *
 * @param owners the records of the stack that have the id.
 * @returns the problem, as a sentence.
 */
export function findOwnerProblem(
  { run, settings: parsed }: Session,
  resource: Resource,
  { id, owners = [] }: { id: string; owners: readonly Owner[] | undefined },
): string | undefined {
  if ("problems" in parsed) return undefined;
  const importer = run.importerOf(id);
  const here = importer === resource ? run.ownerOf(id) : (importer ?? run.ownerOf(id));
  const { settings, guide } = parsed;
  const urn =
    here !== undefined && here !== resource
      ? shownResource(here)
      : findOwner(owners, { urn: resource.urn, provider: guide.provider, baseUrls: baseUrlsOf(settings) });
  return urn === undefined
    ? undefined
    : `Webhook ${id} belongs to another resource of this stack, ${urn}. Two resources cannot own one webhook. If you renamed or moved that resource, remove import and add the option aliases: ["${urn}"] instead. If not, correct the id: it may be that of another stack or account.`;
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

/** Names a resource of this run in a message. */
export function shownResource({ urn }: Resource): string {
  return urn ?? "another resource";
}
