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

/** The names of all settings: `webhooks:<name>` in the stack's config. */
export const SETTING_NAMES = [...ACCOUNT, ...SHARED] as const;

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

const ARGUMENTS = SETTING_NAMES.map(argumentOf);

/** Returns the name of a setting as an argument of a Provider. One with several values is a list. */
export function argumentOf(setting: SettingName): string {
  return setting === "previousBaseUrl" ? "previousBaseUrls" : setting;
}

/** Describes arguments of a Provider that do not exist, in one problem. */
export function findUnknownArguments(provider: string, names: readonly string[]): string[] {
  const unknown = names.filter((name) => !ARGUMENTS.includes(name));
  const problem = `The Provider ${provider} of pulumi-webhooks has unknown arguments: ${unknown.join(", ")}. Correct or remove them. The arguments are ${ARGUMENTS.join(", ")}.`;
  return unknown.length === 0 ? [] : [problem];
}

/**
 * Describes the keys of a stack's config that are no settings: a problem for each that is nearly one, since a misspelled setting would
 * have no effect, and one warning of the others, which may be the program's own.
 *
 * @param names the keys below `webhooks:`. In a project of that name, they are its own config as well.
 */
export function findUnknownSettings(
  names: readonly string[],
  project: string,
): { problems: string[]; warnings: string[] } {
  const problems: string[] = [];
  const others: string[] = [];
  const isExpected = (name: string) => project === "webhooks" || SETTING_NAMES.some((one) => one === name);
  for (const name of names.filter((name) => !isExpected(name))) {
    const meant = SETTING_NAMES.find((setting) => isNearly(name, setting));
    if (meant === undefined) others.push(`webhooks:${name}`);
    else
      problems.push(
        `webhooks:${name} is not a setting of pulumi-webhooks. Correct it to webhooks:${meant}, or rename it if it is your own.`,
      );
  }
  const warning = `These keys are not settings of pulumi-webhooks, which ignores them: ${others.join(", ")}. If one is meant to be a setting, correct its name. The settings are ${SETTING_NAMES.join(", ")}.`;
  return { problems, warnings: others.length === 0 ? [] : [warning] };
}

/** Reports whether a key is probably meant to be a setting: one without its unit, or with its first letter and nearly its other ones. */
function isNearly(name: string, setting: SettingName): boolean {
  const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const [given, meant] = [lettersOf(name), lettersOf(setting)];
  if (given.length > 4 && meant.startsWith(given)) return true;
  // Their order does not matter.
  const more = [...meant].reduce((rest, letter) => rest.replace(letter, ""), given).length;
  const missing = meant.length - (given.length - more);
  return given[0] === meant[0] && Math.max(more, missing) <= (meant.length < 8 ? 1 : 2);
}
