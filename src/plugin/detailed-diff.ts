import { PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js";
import type { Difference } from "../lifecycle/diff.js";
import type { Properties } from "../lifecycle/run.js";
import { isInDoubt } from "../stack/in-doubt.js";

/** The inputs whose change a preview shows: those of the program, and the marks that a read adds. */
const SHOWN = ["url", "name", "enabled", "secret", "changedOutsidePulumi", "notFound"] as const;

interface Compared {
  id: string;
  difference: Difference;
  oldInputs: Properties;
  /** What a probe has found of a webhook that the engine imported, which has no inputs. */
  oldOutputs: Properties;
  news: Properties;
}

/**
 * Describes a change by the inputs that changed.
 *
 * A changed secret is shown only if it replaces the webhook: the engine would replace one in doubt, or one that is imported,
 * by its own option `replaceOnChanges`, which the schema sets for the secret.
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
  if (!changes || isInDoubt(id)) return described;
  const olds = Object.keys(oldInputs).length === 0 ? oldOutputs : oldInputs;
  for (const name of SHOWN) {
    const [before, after] = [olds[name], news[name]];
    const isReplacing = replaces.includes(name);
    if (before === after || (name === "secret" && !isReplacing)) continue;
    const act = before === undefined ? "ADD" : after === undefined ? "DELETE" : "UPDATE";
    const kind = PropertyDiff.Kind[isReplacing ? (`${act}_REPLACE` as const) : act];
    described.set(name, new PropertyDiff().setInputdiff(true).setKind(kind));
  }
  return described;
}
