import { startPulumi } from "../../pulumi/cli.js";
import { SECRET_SIGNATURE, SIGNATURE } from "../../record/special-values.js";
import type { ParsedSettings } from "../../settings/settings.js";
import { parseSettings } from "../../settings/settings.js";
import { findSettings } from "../../stack/providers.js";
import type { StackExport } from "../../stack/stack-export.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { findManager } from "../../stack/unresolved.js";
import { readStackConfig } from "../stack-config.js";

/** Reads the settings of the default Provider: those of the stack's config first, then of the environment. */
export async function readSettings(stack: string): Promise<ParsedSettings> {
  const config = await readStackConfig({ stack }, process.env);
  const given = { environment: process.env, isOwnCommand: true };
  if (!("problems" in config)) return parseSettings({ ...config, ...given, stack });
  const parsed = parseSettings(given);
  return "problems" in parsed ? { problems: [...config.problems, ...parsed.problems] } : parsed;
}

/** Returns the settings of the explicit Provider of a create. @param revealed the state, with its secrets in plain text. */
export function settingsOf(create: UnresolvedCreate, revealed: StackExport): ParsedSettings {
  const found = findSettings(revealed, findManager(revealed, create)) ?? {};
  const config = (key: string) => (found[key] === undefined ? undefined : String(found[key]));
  return parseSettings({ config, environment: process.env, isOwnCommand: true });
}

/** Reads the state of a stack, with its secrets in plain text. It must not be written anywhere. */
export async function readRevealed(stack: string): Promise<StackExport> {
  const text = await startPulumi(["stack", "export", "--show-secrets", "--stack", stack]).text;
  return JSON.parse(text, (_, value) =>
    Object(value)[SIGNATURE] === SECRET_SIGNATURE && typeof value.plaintext === "string"
      ? JSON.parse(value.plaintext)
      : value,
  );
}
