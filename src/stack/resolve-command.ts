import { OWN_COMMAND } from "../own-command.js";
import { stackOption } from "../settings/setting-guide.js";
import { stackOf } from "./urn.js";

/** The command that resolves webhooks, for the selected stack. */
export const RESOLVE = `${OWN_COMMAND} resolve`;

/** Returns the command for the stack of a resource. @param urn default: the stack is not known. */
export function resolveCommand(urn?: string): string {
  return urn === undefined ? RESOLVE : `${RESOLVE}${stackOption(stackOf(urn).stack)}`;
}
