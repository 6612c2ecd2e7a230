import type { SettingGuide } from "../settings/setting-guide.js";
import type { Settings } from "../settings/settings.js";
import { normalizeBaseUrl } from "../settings/settings.js";
import { INTERRUPTED } from "../stack/hidden-properties.js";
import { isInDoubt } from "../stack/in-doubt.js";
import type { RecordedFacts, UnresolvedWebhook } from "../stack/recorded-facts.js";
import { toNamed } from "../stack/shown-name.js";
import * as recovery from "./recovery-messages.js";

interface Checked {
  facts: RecordedFacts;
  inputs: Record<string, unknown>;
  /** Whether a create follows: also that of a replacement. */
  isCreate: boolean;
  /** Whether the create replaces a webhook whose inputs were checked before. With `--replace`, that is not so. */
  isReplacement: boolean;
  settings: Settings;
  guide: SettingGuide;
}

/** Finds the problems of a webhook that only the whole stack shows. */
export function findStackProblems(checked: Checked): string[] {
  const { facts, inputs, isCreate, isReplacement, settings, guide } = checked;
  if (facts.interruptedAs !== undefined) return [recovery.interruptedAsProblem(facts.interruptedAs)];
  const { unresolvedWith } = facts;
  // Another process would decide about the deletes of its records, without knowing what becomes of it in this one.
  if (unresolvedWith !== undefined && unresolvedWith.provider !== guide.provider) {
    return [recovery.movedInDoubtProblem(toNamed(inputs), unresolvedWith.provider)];
  }
  if (!isCreate) return [];
  if ("import" in inputs) {
    // A preview may not know the id yet, nor therefore its holders.
    const known = Array.isArray(facts.holders) ? facts.holders : [];
    const holders = known.filter(({ baseUrl }) => isSameAccount(baseUrl, settings));
    return holders
      .slice(0, 1)
      .map(({ urn, isOwn }) =>
        isOwn ? recovery.REPLACED_WITH_IMPORT : recovery.importHeldProblem(String(inputs.import), urn),
      );
  }
  if (facts.interrupted !== undefined) return [];
  // Diff never replaces it, but the engine did not ask: another resource or a trigger replaces it.
  if (isReplacement && isInDoubt(facts.recordedId ?? "") && unresolvedWith !== undefined) {
    return [recovery.replacedInDoubtProblem(toNamed(inputs))];
  }
  const twin = facts.unresolved?.find((other) => isTwin(other, facts.logicalName, inputs));
  return twin === undefined ? [] : [recovery.unresolvedTwinProblem(toNamed(inputs), twin.urn)];
}

/** Returns what diff, create and update need to know of the stack, as hidden inputs. */
export function toHiddenInputs({ interrupted }: RecordedFacts): Record<string, unknown> {
  return interrupted === undefined ? {} : { [INTERRUPTED]: interrupted };
}

/** Reports whether an unresolved webhook may be the new one, which was renamed. A secret may have any value. */
function isTwin(
  other: UnresolvedWebhook,
  logicalName: string | undefined,
  inputs: Record<string, unknown>,
): boolean {
  const { url = inputs.url, name = inputs.name } = other;
  // The default name changes along with the resource's.
  const haveDefaultNames = name === other.logicalName && inputs.name === logicalName;
  return url === inputs.url && (name === inputs.name || haveDefaultNames);
}

function isSameAccount(
  baseUrl: string | undefined,
  { baseUrl: current, previousBaseUrl = [] }: Settings,
): boolean {
  return baseUrl === undefined || [current, ...previousBaseUrl].includes(normalizeBaseUrl(baseUrl) ?? "");
}
