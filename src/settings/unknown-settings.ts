import { shellArgument } from "../shell-argument.js";
import { VARIABLES } from "./setting-guide.js";

const NAMES = Object.keys(VARIABLES);

/**
 * Describes settings, or arguments of an explicit Provider, that do not exist, each with the one that was probably meant.
 *
 * @returns undefined if all exist.
 */
export function unknownSettingsProblem(names: readonly string[], provider?: string): string | undefined {
  const unknown = names.filter((name) => !NAMES.includes(name));
  if (unknown.length === 0) return undefined;
  const guesses = unknown.map((name) => {
    const setting = findSimilar(name.toLowerCase());
    return setting === undefined ? name : `${name} (did you mean ${setting}?)`;
  });
  const [what, remedy] =
    provider === undefined
      ? [
          "The stack's config has unknown settings of pulumi-webhooks",
          `Correct or remove them (pulumi config rm-all ${unknown.map((name) => `webhooks:${shellArgument(name)}`).join(" ")}).`,
        ]
      : [`The Provider ${provider} of pulumi-webhooks has unknown arguments`, "Correct or remove them."];
  return `${what}: ${guesses.join(", ")}. ${remedy} The settings are ${NAMES.join(", ")}.`;
}

/** Finds a setting that begins like a name, or else contains it. */
function findSimilar(name: string): string | undefined {
  const beginning = name.slice(0, 4);
  return (
    NAMES.find((setting) => setting.toLowerCase().startsWith(beginning)) ??
    NAMES.find((setting) => setting.toLowerCase().includes(name))
  );
}
