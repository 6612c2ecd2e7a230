import { shellArgument, stackOption } from "../wording/command.js";

/** The settings that select the account: those of a Provider come from its arguments only. */
const ACCOUNT = ["apiKey", "baseUrl", "previousBaseUrl"] as const;

/** The settings that a Provider may have as arguments, else from the stack's config or the environment. */
export const SHARED = [
  "allowHttp",
  "drift",
  "timeoutSeconds",
  "deadlineSeconds",
  "maxConnections",
  "ignoreUpdatedAt",
  "unknownIdStatus",
  "noEffectStatus",
] as const;

/** The names of all settings: `webhooks:<name>` in the stack's config, and the arguments of a Provider. */
export const SETTING_NAMES = [...ACCOUNT, ...SHARED] as const;

/** The name of a setting. */
export type SettingName = (typeof SETTING_NAMES)[number];

/** Reports whether a setting selects the account. */
export function isOfAccount(setting: SettingName): boolean {
  return ACCOUNT.some((name) => name === setting);
}

/** Returns the environment variable of a setting. */
export function variableOf(setting: SettingName): string {
  return `WEBHOOKS_${setting.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** An explicit Provider sets it to its name. The settings of the account are then never read from the environment. */
export const EXPLICIT_PROVIDER = "webhooks:explicitProvider";

interface Given {
  /** The names that the stack's config or a Provider sets. */
  names: readonly string[];
  /** The explicit Provider whose arguments they are. */
  provider?: string | undefined;
  /** The stack whose config they are. */
  stack?: string | undefined;
}

/** Describes settings that do not exist, of a stack's config or an explicit Provider. @returns undefined if all exist. */
export function unknownSettingsProblem(given: Given): string | undefined {
  const { names, provider, stack } = given;
  const unknown = names.filter((name) => !SETTING_NAMES.some((setting) => setting === name));
  if (unknown.length === 0) return undefined;
  const keys = unknown.map((name) => `webhooks:${shellArgument(name)}`).join(" ");
  const [where, how] =
    provider === undefined
      ? ["The stack's config", ` (pulumi config rm-all ${keys}${stackOption(stack)})`]
      : [`The Provider ${provider}`, ""];
  return `${where} has unknown settings of pulumi-webhooks: ${unknown.join(", ")}. Correct or remove them${how}. The settings are ${SETTING_NAMES.join(", ")}.`;
}
