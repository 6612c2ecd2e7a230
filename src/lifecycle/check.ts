import { mayTakeEffectUntil } from "../record/in-doubt-id.js";
import type { Past } from "../record/past.js";
import { createStamp, type ResourceContext, readKey } from "../record/properties.js";
import { shownName, toNamed } from "../record/shown-name.js";
import { UNKNOWN } from "../record/special-values.js";
import { shownUrn } from "../record/urn.js";
import type { ParsedSettings } from "../settings/settings.js";
import { checkInputs, UPDATE_FIELDS } from "./inputs.js";
import { findOwnerProblem, shownResource } from "./owner.js";
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
  /** The resource keeps its webhook, if it has one of this process's Provider. */
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
  /** The explicit Provider of this process. */
  provider: string | undefined;
}

/** Decides what follows a check, as the state shows it. */
export function decideCheck({ past, inputs, isNew, isEngineImport, provider }: Facts): CheckDecision {
  const known = past.kind === "known" ? past : undefined;
  // The webhook of another Provider may be of another account, with other ids.
  if (!isNew || isEngineImport)
    return { kind: "keep", id: known?.provider === provider ? known?.id : undefined };
  return known !== undefined && inputs.import === known.id ? { kind: "refuse" } : { kind: "create" };
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
  const { run, notes, settings } = session;
  const { past } = context;
  const isNew = Object.keys(olds).length === 0;
  const isEngineImport =
    resource.engineImportId !== undefined || (past.kind === "known" && past.condition === "imported");
  const { inputs, problems } = readInputs(given, { context, olds, isEngineImport });
  resource.context = context;
  const provider = "guide" in settings ? settings.guide.provider : undefined;
  const decision = decideCheck({ past, inputs, isNew, isEngineImport, provider });
  const problem = findProblem(session, resource, { inputs, decision });
  run.remember(context);
  resource.checked = inputs;
  if (decision.kind !== "keep") run.own(resource, undefined);
  else if (decision.id !== undefined) run.own(resource, decision.id);
  if (context.gate === undefined && past.kind !== "unread") notes.noteOpenGate();
  // The preview of a dynamic resource shows a create.
  if (inputs.import !== undefined && decision.kind === "create" && context.program?.closedGate === "warns")
    await session.log.warn(importNotice(inputs));
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

function importNotice(inputs: Properties): string {
  const webhook = inputs.import === UNKNOWN ? "a webhook" : `webhook ${inputs.import}`;
  return `${shownName(toNamed(inputs))} imports ${webhook}: pulumi up creates none, and overwrites url, name and enabled of that one.`;
}

/** Stamps a create that follows: it begins soon, may be sent until its deadline, and waits for its reply. */
function stampOf(parsed: ParsedSettings): string | undefined {
  if ("problems" in parsed) return undefined;
  const { deadlineSeconds, timeoutSeconds } = parsed.settings;
  return createStamp(mayTakeEffectUntil(new Date().toISOString(), deadlineSeconds + timeoutSeconds));
}

interface Given {
  context: ResourceContext;
  olds: Properties;
  isEngineImport: boolean;
}

/** Parses the inputs. The command `pulumi import` passes those that were read, which have no url. */
function readInputs(given: Properties, { context, olds, isEngineImport }: Given): Checked {
  const isCommand = !("url" in given) && UPDATE_FIELDS.every((name) => olds[name] === given[name]);
  if (isEngineImport && isCommand) return { inputs: { ...olds }, problems: [] };
  const withName = context.defaultName === undefined ? given : { name: context.defaultName, ...given };
  return checkInputs(withName, context.given);
}

/** Finds what is wrong with a decision. Before this resource owns the webhook: a create of this run may have got its id. */
function findProblem(
  session: Session,
  resource: Resource,
  { inputs, decision }: { inputs: Properties; decision: CheckDecision },
): string | undefined {
  if (decision.kind === "refuse")
    return "import: the program imports the webhook that it replaces. Remove import or correct the id, then run pulumi up again.";
  if ("import" in inputs && inputs.import !== UNKNOWN) {
    const owners = decision.kind === "keep" ? [] : resource.context?.owners;
    const problem = findOwnerProblem(session, resource, { id: String(inputs.import), owners });
    if (problem !== undefined) return problem;
  }
  const id = decision.kind === "keep" ? decision.id : undefined;
  const owner = id === undefined ? undefined : session.run.ownerOf(id);
  return owner === undefined || owner === resource
    ? undefined
    : `This resource and ${shownResource(owner)} both have webhook ${id}. Two resources cannot own one webhook. Find out in the dashboard whose it is, then remove the other entry: pulumi state delete ${shownUrn()}.`;
}
