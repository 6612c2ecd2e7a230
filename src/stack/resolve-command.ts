/** The command that resolves webhooks in doubt. The provider does not know its stack: the command uses the selected one. */
export const RESOLVE = "npx pulumi-webhooks resolve";
