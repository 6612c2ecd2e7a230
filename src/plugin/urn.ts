/** Returns the stack and the project of a URN: `urn:pulumi:<stack>::<project>::<type>::<name>`. */
export function stackOf(urn: string): { stack: string; project: string } {
  const [stack = "", project = ""] = urn.slice("urn:pulumi:".length).split("::");
  return { stack, project };
}
