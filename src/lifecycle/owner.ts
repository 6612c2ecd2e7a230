import { shortHash } from "../record/hashes.js";
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
 * Notes that a resource imports a webhook, and finds another resource that has it: in the stack, or of this run. The processes of a
 * run see each other's imports in the notes.
 *
 * @returns its URN, or what is known of it.
 */
export function noteImportAndFindOwner(
  session: Session,
  resource: Resource,
  { id, owners = [] }: Import,
): string | undefined {
  const { run, notes, settings: parsed } = session;
  if ("problems" in parsed) return undefined;
  const { settings, guide } = parsed;
  const { urn = "" } = resource;
  const importer = run.importerOf(id);
  const here = importer === resource ? run.ownerOf(id) : (importer ?? run.ownerOf(id));
  if (here !== undefined && here !== resource) return shownResource(here);
  const elsewhere = notes.noteImport({ urn, id, api: shortHash(settings.baseUrl) });
  if (elsewhere !== undefined) return elsewhere;
  return findOwner(owners, { urn, provider: guide.provider, baseUrls: baseUrlsOf(settings) });
}

/** Explains that another resource has the webhook to import. One that this run has created is in no record yet. */
export function explainOwner(session: Session, id: string, urn: string): string {
  const owner = session.run.ownerOf(id);
  const isImported = owner?.importId !== undefined || owner?.engineImportId !== undefined;
  const isNew = owner === undefined || (owner.past.kind === "new" && !isImported);
  return isNew && creatorOf(session, id) === urn
    ? messages.createdProblem(id, urn)
    : messages.ownedProblem(id, urn);
}

/** Finds the resource that has a webhook in this run, or that another process of the run has created it for. @returns its URN. */
export function creatorOf({ run, notes, settings: parsed }: Session, id: string): string | undefined {
  const owner = run.ownerOf(id);
  if (owner !== undefined) return shownResource(owner);
  return "problems" in parsed ? undefined : notes.creatorOf({ id, api: shortHash(parsed.settings.baseUrl) });
}

/** Names a resource of this run in a message. */
export function shownResource({ urn }: Resource): string {
  return urn ?? "another resource";
}
