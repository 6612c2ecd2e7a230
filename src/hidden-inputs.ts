// Inputs of a webhook that the package itself adds. Pulumi shows no input whose name begins with two underscores.

/** What the stack's state holds of the webhook. The program passes it to check, which removes it. */
export const RECORDED = "__recorded";

/**
 * The id of the webhook that a create replaces. It stays in the inputs until the next up: if the engine is killed, it
 * distinguishes the interrupted replacement from an older interrupted create of the same resource.
 */
export const REPLACES = "__replaces";

/** The create during which an earlier run was killed. With it, create and update send nothing. */
export const INTERRUPTED = "__interrupted";
