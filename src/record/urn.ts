import { shellArgument, stackOption } from "../wording/command.js";
import type { StackName } from "./stack-name.js";

// A URN is urn:pulumi:<stack>::<project>::<type>::<name>.

/** Returns the stack of a URN. @param organization which no URN has. Undefined in a backend without organizations. */
export function stackOf(urn: string, organization: string | undefined): StackName {
  const [stack = "", project = ""] = urn.slice("urn:pulumi:".length).split("::");
  return { organization, project, stack };
}

/** Returns the type of a resource. Its URN also has the types of its parents, before a $ each. */
export function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** Returns the logical name of a resource: the last part of its URN. */
export function logicalNameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** Writes the URN of a resource and its stack for a command, or how to find it: a refresh and a delete do not know it. */
export function shownUrn(urn?: string): string {
  const stack = stackOption();
  return urn === undefined
    ? `'<urn>'${stack} (pulumi stack${stack} --show-urns lists the URNs)`
    : `${shellArgument(urn)}${stack}`;
}
