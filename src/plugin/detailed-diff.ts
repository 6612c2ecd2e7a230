import { PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js";
import type { Difference } from "../lifecycle/diff.js";
import type { Properties } from "../lifecycle/run.js";
import { readPast } from "../stack/past.js";

/** The inputs whose change a preview shows: those of the program, and the marks that a read adds. */
const SHOWN = ["url", "name", "enabled", "secret", "changedOutsidePulumi", "notFound"] as const;

interface Compared {
  id: string;
  difference: Difference;
  oldInputs: Properties;
  oldOutputs: Properties;
  news: Properties;
}

/**
 * Describes a change by the inputs that changed.
 *
 * By its own option `replaceOnChanges`, the engine replaces a webhook for what is described. So nothing is of one that cannot be
 * replaced, in doubt or not confirmed, and a changed secret is only if it replaces the webhook.
 */
export function describeChanges({
  id,
  difference,
  oldInputs,
  oldOutputs,
  news,
}: Compared): Map<string, PropertyDiff> {
  const { changes, replaces = [] } = difference;
  const described = new Map<string, PropertyDiff>();
  if (!changes || readPast({ id, outputs: oldOutputs }).kind !== "known") return described;
  for (const name of SHOWN) {
    const [before, after] = [oldInputs[name], news[name]];
    const isReplacing = replaces.includes(name);
    if (before === after || (name === "secret" && !isReplacing)) continue;
    const act = before === undefined ? "ADD" : after === undefined ? "DELETE" : "UPDATE";
    const kind = PropertyDiff.Kind[isReplacing ? (`${act}_REPLACE` as const) : act];
    described.set(name, new PropertyDiff().setInputdiff(true).setKind(kind));
  }
  return described;
}
