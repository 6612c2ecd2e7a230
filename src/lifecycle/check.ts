import { UPDATED } from "../record/fields.js";
import { mayTakeEffectUntil } from "../record/in-doubt-id.js";
import { shownName } from "../record/label.js";
import { createStamp, type ResourceContext, readResourceKey } from "../record/properties.js";
import { logicalNameOf } from "../record/urn.js";
import type { ParsedSettings } from "../settings/settings.js";
import { decideCheck } from "./decision.js";
import { findOwnerProblem } from "./import.js";
import { checkInputs } from "./inputs.js";
import type { Decision, Resource } from "./run.js";
import type { Session } from "./session.js";
import type { Properties, Received } from "./values.js";

export interface CheckRequest {
  context: ResourceContext;
  /** The recorded inputs; none if the engine is going to create: a new webhook, or the replacement of one. */
  olds: Properties;
  news: Received;
}

/** The inputs with their defaults, and all problems at once, a sentence each. */
export interface Checked {
  inputs: Properties;
  problems: string[];
  /** That of the create that follows, or of the one that made the recorded webhook. Undefined if that is not known. */
  stamp?: string | undefined;
}

/** Checks inputs and settings, fills in defaults, and decides what follows. */
export async function check(session: Session, { context, olds, news }: CheckRequest): Promise<Checked> {
  const { run, notes, settings } = session;
  const { urn, past, gate, program } = context;
  const resource = run.declared(urn);
  run.begin(context);
  // With `ignoreChanges` the engine copies it from the recorded inputs.
  const { changedOutsidePulumi, ...values } = news.values;
  const { inputs, problems } = readInputs(resource, { context, olds, news: { ...news, values } });
  const isNew = Object.keys(olds).length === 0;
  const decision = decideCheck(resource, { past, inputs, isNew }, settings);
  // Before this resource owns the webhook: a create of this run may have got its id.
  const owners = decision.kind === "keep" ? [] : context.owners;
  const ownerProblem = findOwnerProblem(session, resource, { id: inputs.import, owners });
  const problem = decision.kind === "refuse" ? decision.error.message : ownerProblem;
  Object.assign(resource, { declared: { context, inputs }, decision });
  if (gate === undefined && past.kind !== "unread") notes.noteOpenGate();
  // The preview of a dynamic resource shows a create.
  if (decision.kind === "import" && program?.isPreview)
    await session.warnOfEach(IMPORT_HEADING, `${shownName(logicalNameOf(urn))}: imported`);
  const settingProblems = "problems" in settings ? settings.problems() : [];
  const isSent = ["create", "replace", "import"].includes(decision.kind);
  return {
    inputs,
    problems: [...problems, ...settingProblems, problem].filter((one) => one !== undefined),
    stamp: isSent ? stampOf(settings, decision) : readResourceKey(olds).stamp,
  };
}

const IMPORT_HEADING =
  "pulumi up creates none of these webhooks: it overwrites all fields but the secrets of those that they import:";

/** Stamps a create that follows: it begins soon, may be sent until its deadline, and waits for its reply. A replacement may ask before. */
function stampOf(parsed: ParsedSettings, { kind }: Decision): string | undefined {
  if ("problems" in parsed) return undefined;
  const { deadlineSeconds, timeoutSeconds } = parsed.settings;
  const seconds = deadlineSeconds * (kind === "replace" ? 2 : 1) + timeoutSeconds;
  return createStamp(mayTakeEffectUntil(new Date().toISOString(), seconds));
}

/** Parses the inputs. The command `pulumi import` passes those that were read, which have no url. */
function readInputs(resource: Resource, { context, olds, news }: CheckRequest): Checked {
  const { values } = news;
  const { past } = context;
  const isImported = past.kind === "known" && past.condition === "imported";
  const isCommand = !("url" in values) && UPDATED.every((name) => olds[name] === values[name]);
  if ((isImported || resource.decision?.kind === "record import") && isCommand)
    return { inputs: { ...olds }, problems: [] };
  const { defaultName: name } = context;
  return checkInputs({ ...news, values: { ...(name !== undefined && { name }), ...values } }, context.given);
}
