// Inputs and outputs of a webhook that the package itself adds. Pulumi shows none whose name begins with two underscores.

/** The option `replaceOnChanges`, which diff follows: the SDK does not report to the engine what changed. */
export const REPLACE_ON_CHANGES = "__replaceOnChanges";

/** The secret of the arguments. Check compares it with the secret that arrives, and removes it. */
export const DECLARED_SECRET = "__declaredSecret";

/** Set if the program made the name a secret: messages do not show it then. It is recorded, with the outputs too. */
export const SECRET_NAME = "__secretName";

/** Set if the program made the URL a secret: the record of a failed update keeps it one. It is recorded, with the outputs too. */
export const SECRET_URL = "__secretUrl";

/** What the stack's state holds that concerns the webhook. The program passes it to check, which removes it. */
export const RECORDED = "__recorded";

/** The create during which an earlier run was killed. With it, create and update send nothing. */
export const INTERRUPTED = "__interrupted";

/**
 * The fields that the probe of a refresh found changed, among its outputs. The engine's events show no secret values, so
 * this mark alone shows that a secret name or enabled differs. Every read drops the mark of an earlier one.
 */
export const DRIFTED_FIELDS = "__driftedFields";
