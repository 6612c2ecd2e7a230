/** The command that settles webhooks in doubt. The provider does not know the name of its stack. */
export const RESOLVE = "npx pulumi-webhooks resolve --stack <stack>";
