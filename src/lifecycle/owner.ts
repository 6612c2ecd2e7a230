import { labelAtStart } from "../record/label.js";
import type { Owner } from "../record/properties.js";
import { baseUrlsOf } from "../settings/settings.js";
import type { Resource } from "./run.js";
import type { Session } from "./session.js";

/**
 * Finds another resource that has the webhook which a resource imports: in this process or, at the same base URL, in the stack,
 * whichever Provider manages it.
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
  const here = importer === resource ? run.owners.get(id) : (importer ?? run.owners.get(id));
  const baseUrls = baseUrlsOf(parsed.settings);
  const recorded = owners.find(
    // A base URL that is a secret may be the same one.
    ({ urn, baseUrl }) => urn !== resource.urn && (baseUrl === undefined || baseUrls.includes(baseUrl)),
  );
  const urn = here === undefined || here === resource ? recorded?.urn : here.urn;
  return urn === undefined
    ? undefined
    : `${labelAtStart(id)} belongs to another resource of this stack, ${urn}. If you renamed or moved that resource, remove import and add the option aliases: ["${urn}"] instead. If not, correct the id: it may be that of another stack or account.`;
}
