import type { SettingGuide } from "../settings/setting-guide.js";
import type { Settings } from "../settings/settings.js";
import { normalizeBaseUrl } from "../settings/settings.js";
import type { Declared } from "../stack/hidden-properties.js";
import { isInDoubt } from "../stack/in-doubt.js";
import { toNamed } from "../stack/shown-name.js";
import { checkEngineImport, checkInputs, isSecretFromTransform, UNKNOWN } from "./inputs.js";
import * as changes from "./messages/changes.js";
import * as imports from "./messages/imports.js";
import * as inDoubt from "./messages/in-doubt.js";
import type { Properties, Resource } from "./run.js";
import type { Session } from "./session.js";

/** What check receives. */
export interface CheckRequest {
  /** What the program says of the resource, if it comes from this version of the package. */
  declared: Declared | undefined;
  /** The recorded inputs; none if the engine is going to create: a new webhook, or the replacement of one. */
  olds: Properties;
  news: Properties;
}

/** The inputs with their defaults, and all problems at once, a sentence each. */
export interface Checked {
  inputs: Properties;
  problems: string[];
}

/**
 * Checks inputs and settings, and fills in defaults.
 *
 * With `ignoreChanges` the engine copies recorded inputs, and so the marks of drift, which are dropped.
 */
export async function check(session: Session, request: CheckRequest): Promise<Checked> {
  const { declared, olds } = request;
  const { changedOutsidePulumi, notFound, ...news } = request.news;
  const resource = session.run.of(declared?.key);
  const unconfirmedId = declared?.past?.isImported ? declared.past.recordedId : undefined;
  const importedId = resource.engineImportId ?? unconfirmedId;
  const { inputs, problems } =
    importedId === undefined
      ? checkInputs({ ...withDefaultName(declared), ...news }, declared?.given)
      : checkEngineImport(news, { id: importedId, isImporting: resource.engineImportId !== undefined });
  if (unconfirmedId !== undefined && problems.length > 0) problems.push(imports.ALL_FIELDS_REQUIRED);
  if (isSecretFromTransform(olds, news)) {
    await session.log.warn(changes.secretFromTransformWarning(toNamed(inputs)));
  }
  // The engine records no inputs of a webhook that it imports.
  const isCreate = Object.keys(olds).length === 0 && importedId === undefined;
  // Without a diff another resource or a trigger replaces it, and `--replace` checks only once.
  const isReplacement = isCreate && resource.keepsItsWebhook;
  resource.past = declared?.past;
  resource.recordedId ??= declared?.past?.recordedId;
  resource.declared = { inputs, isCreate };
  resource.ignored = declared?.ignored ?? [];
  resource.note = declared?.note;
  const { settings } = session;
  if ("problems" in settings) problems.push(...settings.problems);
  else problems.push(...findStackProblems({ resource, inputs, isCreate, isReplacement, ...settings }));
  return { inputs, problems };
}

function withDefaultName({ defaultName }: Partial<Declared> = {}): Properties {
  return defaultName === undefined ? {} : { name: defaultName };
}

interface Declaring {
  resource: Resource;
  inputs: Properties;
  isCreate: boolean;
  /** Whether the create replaces a webhook whose inputs were checked before. */
  isReplacement: boolean;
  settings: Settings;
  guide: SettingGuide;
}

/** Finds the problems of a webhook that only the whole stack shows. */
function findStackProblems({
  resource,
  inputs,
  isCreate,
  isReplacement,
  settings,
  guide,
}: Declaring): string[] {
  const { past = {}, recordedId, recorded } = resource;
  const webhook = toNamed(inputs);
  if (past.interruptedAs !== undefined) return [inDoubt.interruptedAsProblem(past.interruptedAs)];
  const isOpen = past.interrupted !== undefined || (past.isInDoubt && !past.isDeleted);
  // Another process would decide about the deletes of its records, without knowing what becomes of it in this one.
  if (isOpen && past.provider?.name !== guide.provider) {
    return [inDoubt.movedProblem(webhook, past.provider?.name)];
  }
  // A preview may not know the id yet, nor therefore its holders.
  const holders = Array.isArray(past.holders) ? past.holders : [];
  const holder = holders.find(({ baseUrl, hasOtherKey }) => !hasOtherKey && isSameUrl(baseUrl, settings));
  if (past.isImported && holder !== undefined) return [imports.sharedProblem(String(recordedId), holder.urn)];
  if (!isCreate) return [];
  const hasMoved = past.provider !== undefined && past.provider.name !== guide.provider;
  if (recordedId !== undefined && hasMoved && !past.isDeleted) {
    return [changes.movedReplacementProblem(webhook, past.provider?.name)];
  }
  if (past.interrupted === undefined && isOpen && recordedId !== undefined && !isInDoubt(recordedId)) {
    return [inDoubt.replacedEnteredProblem(recordedId, webhook)];
  }
  if ("import" in inputs) {
    const isFound = recorded !== undefined && isInDoubt(recordedId ?? "");
    if (isFound && inputs.secret !== UNKNOWN && inputs.secret !== recorded.secret) {
      return [inDoubt.otherSecretProblem(recorded, resource.urn)];
    }
    // Without a diff, which refuses it, another resource or a trigger replaces the webhook.
    const isOther = recordedId !== undefined && ![UNKNOWN, recordedId].includes(String(inputs.import));
    if (isOther && !isOpen && !past.isDeleted && !isInDoubt(recordedId)) {
      return [imports.otherImportError({ id: recordedId, webhook, importId: inputs.import }).message];
    }
    if (holder === undefined) return [];
    return [
      holder.isOwn ? imports.REPLACED_WITH_IMPORT : imports.heldProblem(String(inputs.import), holder.urn),
    ];
  }
  if (past.interrupted !== undefined) return [];
  if (isOpen && isReplacement) return [inDoubt.replacedProblem(webhook)];
  // An alias that is not seen here renames the webhook that is replaced.
  if (isReplacement && recordedId === undefined && past.hasUnresolvedStack) {
    return [inDoubt.renamedReplacementProblem(webhook)];
  }
  // Only a new resource may be another one that was renamed without an alias.
  const { twin = UNKNOWN } = past;
  return recordedId === undefined && twin !== UNKNOWN ? [inDoubt.twinProblem(webhook, twin)] : [];
}

function isSameUrl(
  baseUrl: string | undefined,
  { baseUrl: current, previousBaseUrl = [] }: Settings,
): boolean {
  return baseUrl === undefined || [current, ...previousBaseUrl].includes(normalizeBaseUrl(baseUrl) ?? "");
}
