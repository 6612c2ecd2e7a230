import { answerPlace, RESOLVE, shellArgument, stackOption } from "../wording/command.js";

// A URN is urn:pulumi:<stack>::<project>::<type>::<name>.

/** Returns the stack and the project of a URN. */
export function stackOf(urn: string): { stack: string; project: string } {
  const [stack = "", project = ""] = urn.slice("urn:pulumi:".length).split("::");
  return { stack, project };
}

/** Returns the type of a resource. Its URN also has the types of its parents, before a $ each. */
export function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** Returns the logical name of a resource: the last part of its URN. */
export function logicalNameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** Writes the URN of a resource for a command, or how to find it: a refresh and a delete do not know it. */
export function shownUrn(urn?: string): string {
  return urn === undefined ? "'<urn>' (pulumi stack --show-urns lists the URNs)" : shellArgument(urn);
}

/** Returns the command that lets a webhook leave the state which the dashboard does not show. */
export function resolveNone(id: string, urn?: string): string {
  return `${resolveCommand(urn)} --none ${shellArgument(id)}`;
}

/** Returns the command for the stack of a resource. @param urn default: the stack is not known. */
export function resolveCommand(urn?: string): string {
  return urn === undefined ? RESOLVE : `${RESOLVE}${stackOption(stackOf(urn).stack)}`;
}

/** Says how to resolve the webhooks of a stack: by the command, or where this pipeline accepts answers. */
export function resolveAdvice(urn?: string): string {
  const place = answerPlace();
  return place === undefined ? `Run ${resolveCommand(urn)}` : `Start ${place}`;
}
