import { OWN_COMMAND } from "../own-command.js";

/** The command that resolves webhooks in doubt. The provider does not know its stack: the command uses the selected one. */
export const RESOLVE = `${OWN_COMMAND} resolve`;
