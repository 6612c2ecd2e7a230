import { VARIABLES } from "./setting-guide.js";

const NAMES = Object.keys(VARIABLES);

/**
 * Describes the names that are no settings, each with the setting that was probably meant.
 *
 * @returns undefined if all are settings.
 */
export function describeUnknown(names: readonly string[]): string | undefined {
  const unknown = names.filter((name) => !NAMES.includes(name));
  if (unknown.length === 0) return undefined;
  const guesses = unknown.map((name) => `${name} (did you mean ${nearest(name)}?)`);
  return `${guesses.join(", ")}. The settings are ${NAMES.join(", ")}.`;
}

/**
 * Describes settings of a stack's config, or arguments of an explicit Provider, that do not exist.
 *
 * @returns undefined if all exist.
 */
export function unknownSettingsProblem(names: readonly string[], provider?: string): string | undefined {
  const unknown = describeUnknown(names);
  if (unknown === undefined) return undefined;
  return provider === undefined
    ? `The stack's config has unknown settings of pulumi-webhooks: ${unknown} To remove one, run pulumi config rm webhooks:<name>.`
    : `The Provider ${provider} of pulumi-webhooks has unknown arguments: ${unknown}`;
}

/** Finds the setting that a name resembles most. A part of a setting's name counts as that setting. */
function nearest(name: string): string | undefined {
  const text = name.toLowerCase();
  const distanceTo = (setting: string) => {
    const other = setting.toLowerCase();
    const isPart = text.length > 2 && (other.includes(text) || text.includes(other));
    return editDistance(text, other) - (isPart ? 100 : 0);
  };
  return NAMES.toSorted((one, other) => distanceTo(one) - distanceTo(other))[0];
}

/** Counts the characters to insert, delete or replace to turn one text into another. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, character] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, target] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (character === target ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
