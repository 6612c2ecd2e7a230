import { PLUGIN_TYPE, WEBHOOK_TYPE } from "../stack/stack-export.js";

/** Returns the stack and the project of a URN: `urn:pulumi:<stack>::<project>::<type>::<name>`. */
export function stackOf(urn: string): { stack: string; project: string } {
  const [stack = "", project = ""] = urn.slice("urn:pulumi:".length).split("::");
  return { stack, project };
}

/** Returns the URNs that a resource may have had when the dynamic provider managed it, alone or with webhooks above it. */
export function toDynamicUrns(urn: string): string[] {
  const [stack = "", project = "", type = "", ...name] = urn.split("::");
  const parents = type.slice(0, type.length - PLUGIN_TYPE.length);
  const types = new Set([parents, parents.replaceAll(`${PLUGIN_TYPE}$`, () => `${WEBHOOK_TYPE}$`)]);
  return [...types].map((above) => [stack, project, above + WEBHOOK_TYPE, ...name].join("::"));
}
