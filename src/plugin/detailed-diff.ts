import { PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js";
import type { Changes, Properties } from "../lifecycle/run.js";
import { readPast } from "../record/past.js";

/** The inputs whose change a preview shows: those of the program, and the marks that a read adds. */
const SHOWN = ["url", "name", "enabled", "secret", "changedOutsidePulumi"] as const;

interface Compared {
  id: string;
  difference: Changes;
  oldInputs: Properties;
  oldOutputs: Properties;
  news: Properties;
}

/**
 * Describes a change by the inputs that changed.
 *
 * By its own option `replaceOnChanges`, the engine replaces a webhook for what is described. So a changed secret is described only if
 * it replaces the webhook, and nothing of one that is unresolved.
 *
 * @returns undefined if the engine must compare the inputs itself, to show them in the preview: those of a webhook that it has imported,
 *   which is sent before it is replaced.
 */
export function describeChanges({
  id,
  difference,
  oldInputs,
  oldOutputs,
  news,
}: Compared): Map<string, PropertyDiff> | undefined {
  const { changes, replaces } = difference;
  const described = new Map<string, PropertyDiff>();
  const past = readPast({ id, outputs: oldOutputs });
  if (!changes || past.kind === "unresolved") return described;
  if (past.condition === "imported") return undefined;
  for (const name of SHOWN) {
    const [before, after] = [oldInputs[name], news[name]];
    const isReplacing = name === "secret";
    if (before === after || (isReplacing && replaces === undefined)) continue;
    const act = before === undefined ? "ADD" : after === undefined ? "DELETE" : "UPDATE";
    const kind = PropertyDiff.Kind[isReplacing ? (`${act}_REPLACE` as const) : act];
    described.set(name, new PropertyDiff().setInputdiff(true).setKind(kind));
  }
  return described;
}
