import { findOwner, type Owner } from "../record/owner.js";
import { baseUrlsOf } from "../settings/settings.js";
import * as messages from "./messages/imports.js";
import type { Resource } from "./run.js";
import type { Session } from "./session.js";

interface Import {
  id: string;
  /** The records of the stack that have the id. */
  owners: readonly Owner[] | undefined;
}

/**
 * Finds another resource that has the webhook which a resource imports: in this process, or in the stack.
 *
 * @returns its URN, or what is known of it.
 */
export function findOtherOwner(
  { run, settings: parsed }: Session,
  resource: Resource,
  { id, owners = [] }: Import,
): string | undefined {
  if ("problems" in parsed) return undefined;
  const importer = run.importerOf(id);
  const here = importer === resource ? run.ownerOf(id) : (importer ?? run.ownerOf(id));
  if (here !== undefined && here !== resource) return shownResource(here);
  const { settings, guide } = parsed;
  return findOwner(owners, {
    urn: resource.urn,
    provider: guide.provider,
    baseUrls: baseUrlsOf(settings),
  });
}

/** Explains that another resource has the webhook to import. One that this run has created is in no record yet. */
export function explainOwner({ run }: Session, id: string, urn: string): string {
  const owner = run.ownerOf(id);
  const isImported = owner?.importId !== undefined || owner?.engineImportId !== undefined;
  return owner?.past.kind === "new" && !isImported && shownResource(owner) === urn
    ? messages.createdProblem(id, urn)
    : messages.ownedProblem(id, urn);
}

/** Names a resource of this run in a message. */
export function shownResource({ urn }: Resource): string {
  return urn ?? "another resource";
}
