import { shortHash } from "../notes/short-hash.js";
import { normalizeBaseUrl } from "../settings/settings.js";
import type { StackExport } from "../stack/stack-export.js";
import { findSettings, typeOf } from "../stack/stack-export.js";
import type { UnresolvedCreate } from "../stack/unresolved.js";
import { findManager } from "../stack/unresolved.js";

interface Sources {
  exported: StackExport;
  /** The URL that the user gave. */
  given: string | undefined;
  /** The URL in the stack's config or the environment, which is that of the default Provider. */
  configured: string | undefined;
  /** Whether that is from the environment. */
  isFromEnvironment: boolean;
}

/**
 * Finds the URL of the API that a create was sent to, as the state has to record it: that of its record, of its Provider's
 * settings, of the stack's config, or the one that the user gave. If this machine has noted the create, the URL must be that of the
 * note. A secret one stays encrypted.
 *
 * @returns undefined if it is unknown.
 */
export function findBaseUrl(
  create: UnresolvedCreate,
  { exported, given, configured, isFromEnvironment }: Sources,
): unknown {
  const { urn, provider, record, note } = create;
  if (record?.outputs?.baseUrl !== undefined) return record.outputs.baseUrl;
  const manager = findManager(exported, create);
  const managed = { urn, type: typeOf(urn), ...(manager !== undefined && { provider: manager }) };
  const recorded = findSettings(exported, managed)?.["webhooks:baseUrl"];
  // The environment may be that of another machine: it needs a note that confirms it.
  const mayBeConfigured = provider === undefined && (note !== undefined || !isFromEnvironment);
  const candidates = [given, recorded, mayBeConfigured ? configured : undefined];
  const urls = candidates.flatMap((url) => (typeof url === "string" ? (normalizeBaseUrl(url) ?? []) : []));
  const url = note === undefined ? urls[0] : urls.find((one) => shortHash(one) === note.api);
  if (note !== undefined && url === undefined) return undefined;
  const isEncrypted = typeof recorded === "object" && recorded !== null;
  return isEncrypted && (note === undefined || url === configured) ? recorded : url;
}
