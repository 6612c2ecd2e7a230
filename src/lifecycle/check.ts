import { mayTakeEffectUntil } from "../record/in-doubt-id.js";
import type { Past } from "../record/past.js";
import { createStamp, type ResourceContext, readKey } from "../record/properties.js";
import { UNKNOWN } from "../record/special-values.js";
import type { ParsedSettings } from "../settings/settings.js";
import { checkInputs, FIELDS } from "./inputs.js";
import * as imports from "./messages/imports.js";
import { findOtherOwner, shownResource } from "./owner.js";
import type { Properties, Resource } from "./run.js";
import type { Session } from "./session.js";

/** What check receives. */
export interface CheckRequest {
  context: ResourceContext;
  /** The recorded inputs; none if the engine is going to create: a new webhook, or the replacement of one. */
  olds: Properties;
  news: Properties;
}

/** The inputs with their defaults, and all problems at once, a sentence each. */
export interface Checked {
  inputs: Properties;
  problems: string[];
  /** That of the create that follows, or of the one that made the recorded webhook. Undefined if that is not known. */
  stamp?: string | undefined;
}

type CheckDecision =
  /** A create: of a new webhook, or of a replacement. The resource gives up the webhook that it had. */
  | { kind: "create" }
  /** The resource keeps its webhook, if it has one. */
  | { kind: "keep"; id: string | undefined }
  /** It would import the webhook that it replaces. */
  | { kind: "refuse" };

interface Facts {
  past: Past;
  inputs: Properties;
  /** Whether the engine passes no recorded inputs. */
  isNew: boolean;
  /** Whether the engine imports the webhook, or has imported it, for which it records no inputs. */
  isEngineImport: boolean;
}

/** Decides what follows a check, as the state shows it. */
export function decideCheck({ past, inputs, isNew, isEngineImport }: Facts): CheckDecision {
  const id = past.kind === "known" ? past.id : undefined;
  if (!isNew || isEngineImport) return { kind: "keep", id };
  return id !== undefined && inputs.import === id ? { kind: "refuse" } : { kind: "create" };
}

/**
 * Checks inputs and settings, and fills in defaults.
 *
 * With `ignoreChanges` the engine copies recorded inputs, and so the mark of drift, which is dropped.
 */
export async function check(
  session: Session,
  resource: Resource,
  { context, olds, news }: CheckRequest,
): Promise<Checked> {
  const { changedOutsidePulumi, ...given } = news;
  const { settings } = session;
  const { past } = context;
  const isNew = Object.keys(olds).length === 0;
  const isEngineImport =
    resource.engineImportId !== undefined || (past.kind === "known" && past.condition === "imported");
  const { inputs, problems } = readInputs(given, { context, olds, isEngineImport });
  resource.context = context;
  const decision = decideCheck({ past, inputs, isNew, isEngineImport });
  const problem =
    findOwnerProblem(session, resource, { inputs, decision }) ??
    (decision.kind === "refuse" ? imports.REPLACED_WITH_IMPORT : undefined);
  note(session, resource, { inputs, decision });
  return {
    inputs,
    problems: [
      ...problems,
      ...("problems" in settings ? settings.problems : []),
      ...(problem === undefined ? [] : [problem]),
    ],
    stamp: decision.kind === "create" ? stampOf(settings) : readKey(olds).stamp,
  };
}

/** Stamps a create that follows: it begins soon, may be sent until its deadline, and waits for its reply. */
function stampOf(parsed: ParsedSettings): string | undefined {
  if ("problems" in parsed) return undefined;
  const { deadlineSeconds, timeoutSeconds } = parsed.settings;
  return createStamp(mayTakeEffectUntil(new Date().toISOString(), deadlineSeconds + timeoutSeconds));
}

interface Decided {
  inputs: Properties;
  decision: CheckDecision;
}

/** Notes the outcome of a check: for this process, and for the others of the run. */
function note({ run, notes }: Session, resource: Resource, { inputs, decision }: Decided): void {
  run.approve(resource, inputs);
  if (decision.kind !== "keep") run.own(resource, undefined);
  else if (decision.id !== undefined) run.own(resource, decision.id);
  const { gate, past } = resource.context ?? {};
  if (gate === undefined && past?.kind !== "unread") notes.noteOpenGate();
}

interface Given {
  context: ResourceContext;
  olds: Properties;
  isEngineImport: boolean;
}

/** Parses the inputs. The command `pulumi import` passes those that were read, which have no url. */
function readInputs(given: Properties, { context, olds, isEngineImport }: Given): Checked {
  const isCommand = !("url" in given) && FIELDS.every((name) => olds[name] === given[name]);
  if (isEngineImport && isCommand) return { inputs: { ...olds }, problems: [] };
  const withName = context.defaultName === undefined ? given : { name: context.defaultName, ...given };
  return checkInputs(withName, context.given);
}

/**
 * Finds another resource that has the webhook which this one imports, or keeps: a create of this run may have got its id. Before the
 * outcome is noted, after which this resource owns the webhook.
 */
function findOwnerProblem(
  session: Session,
  resource: Resource,
  { inputs, decision }: Decided,
): string | undefined {
  const kept = decision.kind === "keep" ? decision : undefined;
  if ("import" in inputs && inputs.import !== UNKNOWN) {
    const id = String(inputs.import);
    const urn = findOtherOwner(session, resource, {
      id,
      owners: kept ? [] : resource.context?.owners,
    });
    if (urn !== undefined) return imports.ownedProblem(id, urn);
  }
  const owner = kept?.id === undefined ? undefined : session.run.ownerOf(kept.id);
  return kept?.id === undefined || owner === undefined || owner === resource
    ? undefined
    : imports.sharedProblem(kept.id, shownResource(owner));
}
