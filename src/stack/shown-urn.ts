import { shellArgument } from "../shell-argument.js";

/** Writes the URN of a resource for a command, or how to find it: a refresh and a delete do not know it. */
export function shownUrn(urn?: string): string {
  return urn === undefined ? "'<urn>' (pulumi stack --show-urns lists the URNs)" : shellArgument(urn);
}
