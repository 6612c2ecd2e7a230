import type { Changes } from "../lifecycle/values.js";
import { messages } from "../pulumi/sdk-internals.js";
import { UPDATED } from "../record/fields.js";
import { readPast } from "../record/past.js";
import { fromStruct } from "./struct.js";

/** The inputs whose change a preview shows, beside what replaces the webhook: those of the program, and the one that a read adds. */
const SHOWN = [...UPDATED, "changedOutsidePulumi"];

/**
 * Builds the reply to a diff of a webhook, which describes a change by the inputs that changed.
 *
 * By its own option `replaceOnChanges`, the engine replaces a webhook for what is described. So a changed secret is described only if
 * it replaces the webhook, and nothing of one that is unresolved. The engine itself compares the inputs of a webhook that it has
 * imported, to show them in the preview: it is sent before it is replaced.
 */
export function toDiffResponse(
  request: messages.DiffRequest,
  { changes, replaces = [] }: Changes,
): messages.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
  const past = readPast(request.getId(), fromStruct(request.getOlds()).values);
  const isImported = past.kind === "known" && past.condition === "imported";
  const response = new messages.DiffResponse()
    .setChanges(changes ? DIFF_SOME : DIFF_NONE)
    .setReplacesList([...replaces])
    .setHasdetaileddiff(!changes || !isImported);
  if (!changes || isImported || past.kind === "unresolved") return response;
  const [olds, news] = [fromStruct(request.getOldInputs()).values, fromStruct(request.getNews()).values];
  for (const name of [...SHOWN, ...replaces]) {
    const [before, after] = [olds[name], news[name]];
    if (before === after) continue;
    const act = before === undefined ? "ADD" : after === undefined ? "DELETE" : "UPDATE";
    const kind = messages.PropertyDiff.Kind[replaces.includes(name) ? (`${act}_REPLACE` as const) : act];
    response.addDiffs(name);
    response.getDetaileddiffMap().set(name, new messages.PropertyDiff().setInputdiff(true).setKind(kind));
  }
  return response;
}
