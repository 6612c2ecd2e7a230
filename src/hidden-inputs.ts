// Inputs of a webhook that the package itself adds. Pulumi shows no input whose name begins with two underscores.

/** What the stack's state holds that concerns the webhook. The program passes it to check, which removes it. */
export const RECORDED = "__recorded";

/** The create during which an earlier run was killed. With it, create and update send nothing. */
export const INTERRUPTED = "__interrupted";
