import { PLUGIN_TYPE, WEBHOOK_TYPE } from "../stack/stack-export.js";

/** Returns the stack and the project of a URN: `urn:pulumi:<stack>::<project>::<type>::<name>`. */
export function stackOf(urn: string): { stack: string; project: string } {
  const [stack = "", project = ""] = urn.slice("urn:pulumi:".length).split("::");
  return { stack, project };
}

/** Returns the URN of the same resource when the dynamic provider managed it. */
export function toDynamicUrn(urn: string): string {
  const [stack = "", project = "", type = "", ...name] = urn.split("::");
  const parents = type.slice(0, type.length - PLUGIN_TYPE.length);
  return [stack, project, parents + WEBHOOK_TYPE, ...name].join("::");
}
