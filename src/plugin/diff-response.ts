import type { Changes } from "../lifecycle/values.js";
import { messages } from "../pulumi/sdk-internals.js";
import { readPast } from "../record/past.js";
import { fromStruct } from "./struct.js";

/** The inputs whose change a preview shows, beside what replaces the webhook: those of the program, and the mark that a read adds. */
const SHOWN = ["url", "name", "enabled", "changedOutsidePulumi"];

/**
 * Builds the reply to a diff of a webhook, which describes a change by the inputs that changed.
 *
 * By its own option `replaceOnChanges`, the engine replaces a webhook for what is described. So a changed secret is described only if
 * it replaces the webhook, and nothing of one that is unresolved. The engine itself compares the inputs of a webhook that it has
 * imported, to show them in the preview: it is sent before it is replaced.
 */
export function toDiffResponse(request: messages.DiffRequest, changes: Changes): messages.DiffResponse {
  const past = readPast({ id: request.getId(), outputs: fromStruct(request.getOlds()).values });
  if (!changes.changes || past.kind === "unresolved") return respond(changes, new Map());
  if (past.condition === "imported") return respond(changes);
  const { replaces = [] } = changes;
  return respond(changes, compareInputs(request, [...SHOWN, ...replaces], replaces));
}

/** Builds the reply to a diff of settings. A changed one never replaces the provider: that would replace its webhooks. */
export function toConfigDiffResponse(request: messages.DiffRequest): messages.DiffResponse {
  const structs = [request.getOldInputs(), request.getNews()];
  const changed = compareInputs(
    request,
    structs.flatMap((struct) => Object.keys(fromStruct(struct).values)),
  );
  return respond({ changes: changed.size > 0 }, changed);
}

function compareInputs(
  request: messages.DiffRequest,
  names: readonly string[],
  replacing: readonly string[] = [],
): ReadonlyMap<string, messages.PropertyDiff> {
  const [olds, news] = [fromStruct(request.getOldInputs()).values, fromStruct(request.getNews()).values];
  const changed = new Map<string, messages.PropertyDiff>();
  for (const name of names) {
    const [before, after] = [olds[name], news[name]];
    if (before === after) continue;
    const act = before === undefined ? "ADD" : after === undefined ? "DELETE" : "UPDATE";
    const kind = messages.PropertyDiff.Kind[replacing.includes(name) ? (`${act}_REPLACE` as const) : act];
    changed.set(name, new messages.PropertyDiff().setInputdiff(true).setKind(kind));
  }
  return changed;
}

/** @param changed undefined if the engine must compare the inputs itself. */
function respond(
  { changes, replaces = [] }: Changes,
  changed?: ReadonlyMap<string, messages.PropertyDiff>,
): messages.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse()
    .setChanges(changes ? DIFF_SOME : DIFF_NONE)
    .setReplacesList([...replaces])
    .setDiffsList([...(changed?.keys() ?? [])])
    .setHasdetaileddiff(changed !== undefined);
  for (const [name, change] of changed ?? []) response.getDetaileddiffMap().set(name, change);
  return response;
}
