import type { Past } from "../record/past.js";
import { createNonce, type Declared, readKey } from "../record/properties.js";
import { toNamed } from "../record/shown-name.js";
import { UNKNOWN } from "../record/special-values.js";
import { checkInputs, FIELDS, isSecretFromTransform } from "./inputs.js";
import * as changes from "./messages/changes.js";
import * as imports from "./messages/imports.js";
import { claim, explainOwner, nameOf } from "./owner.js";
import type { Properties, Resource } from "./run.js";
import type { Session } from "./session.js";

/** What check receives. */
export interface CheckRequest {
  declared: Declared;
  /** The recorded inputs; none if the engine is going to create: a new webhook, or the replacement of one. */
  olds: Properties;
  news: Properties;
}

/** The inputs with their defaults, and all problems at once, a sentence each. */
export interface Checked {
  inputs: Properties;
  problems: string[];
  /** That of the create that follows, or of the one that made the recorded webhook. Undefined if that is not known. */
  nonce?: string | undefined;
}

type CheckDecision =
  /** A create: of a new webhook, or of a replacement. The resource gives up the webhook that it had. */
  | { kind: "create" }
  /** The resource keeps its webhook, if it has one of this process's Provider: another account has other ids. */
  | { kind: "keep"; id: string | undefined }
  | { kind: "refuse"; because: Refusal };

type Refusal = "it moves and is replaced" | "it would be imported again";

interface Facts {
  past: Past;
  inputs: Properties;
  /** Whether the engine passes no recorded inputs. */
  isNew: boolean;
  /** Whether the engine imports the webhook, or has imported it, for which it records no inputs. */
  isEngineImport: boolean;
  /** The explicit Provider of the process. */
  provider: string | undefined;
}

/** Decides what follows a check, as the state shows it. */
export function decideCheck({ past, inputs, isNew, isEngineImport, provider }: Facts): CheckDecision {
  const known = past.kind === "known" ? past : undefined;
  const hasMoved = known !== undefined && known.provider !== provider;
  if (!isNew || isEngineImport) {
    // The Provider that it moves from may be another account, with other ids.
    return { kind: "keep", id: hasMoved ? undefined : known?.id };
  }
  if (hasMoved && known.condition !== "deleted")
    return { kind: "refuse", because: "it moves and is replaced" };
  if (known !== undefined && inputs.import === known.id)
    return { kind: "refuse", because: "it would be imported again" };
  return { kind: "create" };
}

/**
 * Checks inputs and settings, and fills in defaults.
 *
 * With `ignoreChanges` the engine copies recorded inputs, and so the mark of drift, which is dropped.
 */
export async function check(
  session: Session,
  resource: Resource,
  { declared, olds, news }: CheckRequest,
): Promise<Checked> {
  const { changedOutsidePulumi, ...given } = news;
  const { settings } = session;
  const { past, gate } = declared;
  const isNew = Object.keys(olds).length === 0;
  const isEngineImport =
    resource.engineImportId !== undefined || (past.kind === "known" && past.condition === "imported");
  const { inputs, problems } = readInputs(given, { declared, olds, isEngineImport });
  if (isSecretFromTransform(olds, given))
    await session.log.warn(changes.secretFromTransformWarning(toNamed(inputs)));
  const provider = "guide" in settings ? settings.guide.provider : undefined;
  const decision = decideCheck({ past, inputs, isNew, isEngineImport, provider });
  resource.declared = declared;
  // Before the approval, after which the resource owns the webhook.
  const owner = findOtherOwner(session, resource, { inputs, decision });
  session.run.approve(resource, inputs);
  if (decision.kind !== "keep") session.run.own(resource, undefined);
  else if (decision.id !== undefined) session.run.own(resource, decision.id);
  if (gate !== undefined) session.notes.holdDeletes();
  else if (past.kind !== "unread") session.notes.noteOpenGate();
  const nonce = decision.kind === "create" ? createNonce() : readKey(olds).nonce;
  if ("problems" in settings) return { inputs, problems: [...problems, ...settings.problems], nonce };
  if (owner !== undefined) problems.push(owner.problem);
  else if (decision.kind === "refuse") problems.push(explain(decision.because, past, inputs));
  return { inputs, problems, nonce };
}

interface Given {
  declared: Declared;
  olds: Properties;
  isEngineImport: boolean;
}

/** Parses the inputs. The command `pulumi import` passes those that were read, which have no url. */
function readInputs(given: Properties, { declared, olds, isEngineImport }: Given): Checked {
  const isCommand = !("url" in given) && FIELDS.every((name) => olds[name] === given[name]);
  if (isEngineImport && isCommand) return { inputs: { ...olds }, problems: [] };
  const withName = declared.defaultName === undefined ? given : { name: declared.defaultName, ...given };
  return checkInputs(withName, declared.given);
}

interface Claimed {
  inputs: Properties;
  decision: CheckDecision;
}

/** Finds another resource that has the webhook which this one imports, or keeps: a create of this run may have got its id. */
function findOtherOwner(
  session: Session,
  resource: Resource,
  { inputs, decision }: Claimed,
): { problem: string } | undefined {
  if ("import" in inputs && inputs.import !== UNKNOWN) {
    const id = String(inputs.import);
    const owners = decision.kind === "keep" ? [] : resource.declared?.owners;
    const urn = claim(session, resource, { id, owners });
    if (urn !== undefined) return { problem: explainOwner(session, id, urn) };
  }
  const id = decision.kind === "keep" ? decision.id : undefined;
  const owner = id === undefined ? undefined : session.run.ownerOf(id);
  return id === undefined || owner === undefined || owner === resource
    ? undefined
    : { problem: imports.sharedProblem(id, nameOf(owner)) };
}

function explain(because: Refusal, past: Past, inputs: Properties): string {
  return because === "it would be imported again"
    ? imports.REPLACED_WITH_IMPORT
    : changes.movedReplacementProblem(toNamed(inputs), "provider" in past ? past.provider : undefined);
}
