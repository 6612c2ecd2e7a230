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
  const guesses = unknown.map((name) => {
    const setting = findSimilar(name.toLowerCase());
    return setting === undefined ? name : `${name} (did you mean ${setting}?)`;
  });
  return `${guesses.join(", ")}. The settings are ${NAMES.join(", ")}.`;
}

/** Finds a setting that begins like a name, or else contains it. */
function findSimilar(name: string): string | undefined {
  const beginning = name.slice(0, 4);
  return (
    NAMES.find((setting) => setting.toLowerCase().startsWith(beginning)) ??
    NAMES.find((setting) => setting.toLowerCase().includes(name))
  );
}
