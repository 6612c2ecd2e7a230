import type { Properties } from "../lifecycle/values.js";
import { readStackFile } from "../pulumi/project.js";
import { UNKNOWN } from "../record/special-values.js";
import { stackOf } from "../record/urn.js";
import { plainKeyProblem } from "../settings/setting-guide.js";
import {
  argumentOf,
  EXPLICIT_PROVIDER,
  findUnknownArguments,
  findUnknownSettings,
  SETTING_NAMES,
  type SettingName,
} from "../settings/setting-names.js";
import { type ParsedSettings, parseSettings } from "../settings/settings.js";
import { providerNameOf } from "../stack/providers.js";

/** Parses the settings of a provider: the arguments of an explicit one, or the stack's config. Unknown ones have no problems. */
export function parseProviderSettings(urn: string, inputs: Properties): ParsedSettings {
  const provider = providerNameOf(urn);
  const given = (name: SettingName) => inputs[provider === undefined ? name : argumentOf(name)];
  // Settings are texts, as in a stack's config.
  const values = new Map(SETTING_NAMES.map((name) => [`webhooks:${name}`, given(name)]));
  const config = (key: string) => {
    const value = key === EXPLICIT_PROVIDER ? provider : values.get(key);
    return value === undefined ? undefined : String(value);
  };
  const unknown = new Set(SETTING_NAMES.filter((name) => given(name) === UNKNOWN));
  return parseSettings({ config, environment: process.env, unknown });
}

const OF_THE_ENGINE = ["version", "pluginDownloadURL"];

/** Finds all problems of a provider's settings, and what to warn of, a sentence each. */
export function findSettingProblems(
  urn: string,
  inputs: Properties,
): { problems: string[]; warnings: string[] } {
  const provider = providerNameOf(urn);
  const parsed = parseProviderSettings(urn, inputs);
  const problems = "problems" in parsed ? parsed.problems() : [];
  const names = Object.keys(inputs).filter((name) => !name.startsWith("__") && !OF_THE_ENGINE.includes(name));
  // Its key is an argument, which is always a secret.
  if (provider !== undefined)
    return { problems: [...problems, ...findUnknownArguments(provider, names)], warnings: [] };
  const { project, stack } = stackOf(urn, undefined);
  // The engine passes all values decrypted. In the file, an encrypted one is an object.
  const key = readStackFile(stack, process.cwd()).config?.["webhooks:apiKey"] ?? {};
  if (typeof key !== "object") problems.push(plainKeyProblem());
  const unknown = findUnknownSettings(names, project);
  return { problems: [...problems, ...unknown.problems], warnings: unknown.warnings };
}
