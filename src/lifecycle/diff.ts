import type { Settings } from "../settings/settings.js";
import { REPLACE_ON_CHANGES } from "../stack/hidden-properties.js";
import { isInDoubt } from "../stack/in-doubt.js";
import { UNKNOWN } from "./inputs.js";
import * as accounts from "./messages/accounts.js";
import * as changes from "./messages/changes.js";
import * as drift from "./messages/drift.js";
import * as imports from "./messages/imports.js";
import * as inDoubt from "./messages/in-doubt.js";
import { label } from "./messages/label.js";
import type { Properties, Resource } from "./run.js";
import { digestOf } from "./secrets.js";
import type { Session } from "./session.js";
import type { State } from "./state.js";
import { parseState } from "./state.js";

/** What diff receives. */
export interface DiffRequest {
  id: string;
  /** The recorded outputs. */
  olds: Properties;
  news: Properties;
}

/** Whether the webhook changes, and the names of what replaces it. */
export interface Difference {
  changes: boolean;
  replaces?: string[];
}

/**
 * Decides what a change of inputs does. The API's update accepts url, name and enabled, and no secret.
 *
 * @throws WebhookError if going on would touch a webhook at another URL, or lose one.
 */
export async function diff(session: Session, resource: Resource, request: DiffRequest): Promise<Difference> {
  const { id, olds, news } = request;
  const recorded = parseState(olds);
  if (recorded === undefined) return { changes: true };
  const action = `Comparing ${label(id, recorded)}`;
  const { settings, guide } = session.accountOf({ action, id, recorded });
  const { past, declared } = resource;
  const isOpen = isInDoubt(id) || recorded.inDoubtId !== undefined;
  // An alias that the program's reading did not see: the webhooks that it replaced are not known either.
  if (isOpen && past !== undefined && past.recordedId !== id) throw inDoubt.unseenAliasError(id, recorded);
  // A refresh compares recorded inputs, whose key may be that of an earlier name.
  if (declared !== undefined) {
    // The resource may have moved to another Provider since.
    const providers = [guide.provider, past?.provider === undefined ? guide.provider : past.provider.name];
    const hasInterruptedChange =
      past?.hasInterruptedChange === true ||
      providers.some((provider) => session.journal.hasChange({ baseUrl: recorded.baseUrl, provider, id }));
    Object.assign(resource, { recordedId: id, recorded, hasInterruptedChange });
  }
  const creator = session.run
    .withId(id)
    .find(({ outcome }) => outcome?.kind === "created" && outcome.id === id);
  if (creator !== undefined && creator !== resource) {
    throw inDoubt.sharedIdError(id, recorded, creator.declared?.inputs);
  }
  if (isInDoubt(id)) return diffInDoubt(session, resource, { ...request, recorded });

  const isInterrupted = past?.interrupted !== undefined;
  if (news.import !== undefined && news.import !== UNKNOWN && news.import !== id) {
    // A person has found the replacement that was interrupted.
    if (isInterrupted) return { changes: true, replaces: ["import"] };
    throw imports.otherImportError({ id, webhook: recorded, importId: news.import });
  }
  // A value that a preview does not know yet may be the recorded one: an import is not refused because of it.
  const mayBeSame = (field: string) => news[field] === UNKNOWN && news.import === id;
  const replaces = findReplacingChanges({ recorded, news, settings, ignored: resource.ignored }).filter(
    (field) => !mayBeSame(field),
  );
  if (replaces.length > 0) {
    // An interrupted create may be that of its replacement, under a name that the program's reading does not see.
    if (past?.hasInterruptedStack && past.recordedId !== id) throw inDoubt.unseenAliasError(id, recorded);
    const replacement = { id, webhook: recorded, replaces };
    if (news.import === id) throw changes.replacementWithImportError(replacement);
    if (recorded.inDoubtId !== undefined) throw inDoubt.enteredReplacementError(replacement);
    // The engine compares what depends on a resource that is deleted before its replacement, and deletes it, too, before
    // it checks it. So it is not known yet whether the replacement was interrupted.
    const { resources } = session.run;
    if (declared === undefined && resources.some((other) => other.past?.hasInterruptedStack)) {
      throw inDoubt.unsureReplacementError(replacement);
    }
    session.log.progress(changes.replacementProgress(replacement));
    return { changes: true, replaces };
  }
  if (recorded.notFound && news.import !== id) return { changes: true, replaces: ["notFound"] };
  const changed = FIELDS.filter((field) => news[field] !== recorded[field]);
  // Nothing else explains why a preview plans to update a webhook whose inputs did not change.
  if (recorded.inDoubtId) await session.log.warn(inDoubt.enteredIdWarning(id, recorded));
  else if (recorded.unconfirmed || resource.hasInterruptedChange) {
    await session.showOnce("warn", changes.UNCONFIRMED_WARNING);
  }
  const { changedOutsidePulumi, unconfirmed, notFound } = recorded;
  const isMarked =
    changedOutsidePulumi !== undefined ||
    unconfirmed ||
    notFound ||
    isInterrupted ||
    resource.hasInterruptedChange;
  const willUpdate = changed.length > 0 || isMarked === true;
  const ignored = resource.ignored.filter((field) => field !== "secret");
  if (willUpdate && ignored.length > 0) {
    await session.log.warn(changes.ignoredWarning(id, recorded, ignored));
  }
  if (willUpdate || !session.run.hasProgram) return { changes: willUpdate };
  // A full update proves that the webhook exists at the new URL, and records it.
  const hasMoved = recorded.baseUrl !== settings.baseUrl;
  if (hasMoved) await session.showOnce("warn", accounts.movedWarning(settings, guide));
  const isEnforced = settings.drift === "enforce";
  if (isEnforced) await session.showOnce("warn", drift.enforcedWarning(guide));
  return { changes: hasMoved || isEnforced };
}

const FIELDS = ["url", "name", "enabled"] as const;

interface Recorded {
  id: string;
  recorded: State;
  news: Properties;
}

/** A webhook in doubt always changes: its create fails again in update, which a preview does not call. */
async function diffInDoubt(
  session: Session,
  resource: Resource,
  { id, recorded, news }: Recorded,
): Promise<Difference> {
  if (news.import !== undefined) return { changes: true, replaces: ["import"] };
  // Without a webhook to replace, the engine creates.
  if (!resource.past?.isDeleted) await session.log.warn(inDoubt.inDoubtWarning(id, recorded));
  return { changes: true };
}

/**
 * Lists the inputs whose change replaces the webhook: its secret, which the API cannot change, and those that the option
 * `replaceOnChanges` lists. The constructor passes the option as an input, since the SDK does not report to the engine
 * what changed. And the engine would create a webhook in doubt again if the option is `*`.
 */
function findReplacingChanges({ recorded, news, settings, ignored }: Comparison): string[] {
  const option = news[REPLACE_ON_CHANGES];
  const listed: unknown[] = Array.isArray(option) ? option : [];
  const changed: string[] = FIELDS.filter(
    (field) => news[field] !== recorded[field] && (listed.includes(field) || listed.includes("*")),
  );
  const { secretDigest, inDoubtId } = recorded;
  // A secret that the state does not know is compared once an update has confirmed the webhook.
  const isUnknown = inDoubtId !== undefined || ignored.includes("secret");
  const hasOtherSecret =
    secretDigest === undefined
      ? news.secret !== recorded.secret
      : !isUnknown && digestOf(news.secret, settings.apiKey) !== secretDigest;
  return hasOtherSecret ? [...changed, "secret"] : changed;
}

interface Comparison {
  recorded: State;
  news: Properties;
  settings: Settings;
  /** What the option `ignoreChanges` names. */
  ignored: readonly string[];
}
