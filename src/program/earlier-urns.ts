import * as pulumi from "@pulumi/pulumi";
import { logicalNameOf, WEBHOOK_TYPE } from "../stack/stack-export.js";

/** A webhook that may have had other names. */
interface Renamed {
  /** The resource's logical name. */
  name: string;
  parent: pulumi.Resource | undefined;
  aliases: pulumi.ResourceOptions["aliases"];
}

/** Returns the URNs that a webhook had before, by its aliases and its parent's. An alias that is not known yet is skipped. */
export async function findEarlierUrns({ name, parent, aliases = [] }: Renamed): Promise<string[]> {
  const effectiveParent = parent ?? pulumi.runtime.getStackResource();
  if (effectiveParent === undefined) return [];
  const parentName = logicalNameOf((await known(effectiveParent.urn)) ?? "");
  const all = pulumi.allAliases(aliases, name, WEBHOOK_TYPE, effectiveParent, parentName);
  const urns = await Promise.all(all.map(known));
  return urns.filter((urn) => urn !== undefined);
}

/** Returns the value of an output, or undefined if it is not known in a preview. */
async function known<Value>(output: pulumi.Output<Value>): Promise<Value | undefined> {
  let value: Value | undefined;
  const read = output.apply((known) => {
    value = known;
  });
  // The callback of an unknown output never runs, but this promise resolves once the output is settled.
  await pulumi.isSecret(read);
  return value;
}
