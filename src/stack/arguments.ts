/** The arguments of a webhook. */
export const ARGUMENTS: readonly string[] = ["url", "name", "enabled", "secret"];

/** Returns the arguments that the option `ignoreChanges` names. */
export function ignoredOf(option: readonly string[] = []): string[] {
  return ARGUMENTS.filter((name) => option.includes(name) || option.includes("*"));
}
