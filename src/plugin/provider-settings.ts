import type { Received } from "../lifecycle/values.js";
import { findConfigFile, readStackFile } from "../pulumi/project.js";
import { UNKNOWN } from "../record/special-values.js";
import { printStackName, type StackName } from "../record/stack-name.js";
import { stackOf } from "../record/urn.js";
import { plainKeyProblem, SettingGuide } from "../settings/setting-guide.js";
import {
  argumentOf,
  EXPLICIT_PROVIDER,
  findUnknownSettings,
  SETTING_NAMES,
  type SettingName,
  unknownArgumentsProblem,
} from "../settings/setting-names.js";
import { type ParsedSettings, parseSettings } from "../settings/settings.js";
import { providerNameOf } from "../stack/providers.js";

interface Provider {
  urn: string;
  /** Undefined if the stack's organization is not known. */
  stack: StackName | undefined;
  /** The provider's inputs: the arguments of an explicit one, or the stack's config. */
  inputs: Received;
}

/** Parses the settings of a provider. Those that a preview does not know yet have no problems. */
export function parseProviderSettings({ urn, stack, inputs }: Provider): ParsedSettings {
  const provider = providerNameOf(urn);
  const given = (name: SettingName) => inputs.values[provider === undefined ? name : argumentOf(name)];
  const values = new Map(SETTING_NAMES.map((name) => [`webhooks:${name}`, toText(given(name))]));
  const config = (key: string) => (key === EXPLICIT_PROVIDER ? provider : values.get(key));
  const unknown = new Set(SETTING_NAMES.filter((name) => given(name) === UNKNOWN));
  return parseSettings({ config, environment: process.env, unknown, stack: stack && printStackName(stack) });
}

/** What the engine itself adds to a provider's inputs. */
const OF_THE_ENGINE = ["version", "pluginDownloadURL"];

/** Finds all problems of a provider's settings, and what to warn of, a sentence each. */
export function findSettingProblems(given: Provider): { problems: string[]; warnings: string[] } {
  const { urn, inputs } = given;
  const stack = given.stack && printStackName(given.stack);
  const provider = providerNameOf(urn);
  const { project, stack: name } = stackOf(urn, undefined);
  const parsed = parseProviderSettings(given);
  const problems = "problems" in parsed ? [...parsed.problems] : [];
  // An explicit Provider's key is an argument, which is always a secret. In the config, an encrypted one is an object: the engine passes
  // all of them decrypted.
  const { config } = provider === undefined ? readStackFile(name, process.cwd()) : {};
  const key = config?.["webhooks:apiKey"];
  if (key !== undefined && typeof key !== "object")
    problems.push(plainKeyProblem(new SettingGuide({ stack })));
  const names = Object.keys(inputs.values).filter(
    (input) => !input.startsWith("__") && !OF_THE_ENGINE.includes(input),
  );
  if (provider !== undefined) {
    const unknown = unknownArgumentsProblem(provider, names);
    return { problems: unknown === undefined ? problems : [...problems, unknown], warnings: [] };
  }
  // In a project named webhooks, `webhooks:` is its own config as well.
  if (project === "webhooks") return { problems, warnings: [] };
  const unknown = findUnknownSettings(names, (key) => findConfigFile(key, name, process.cwd()));
  return { problems: [...problems, ...unknown.problems], warnings: unknown.warnings };
}

/** Settings are texts, as in a stack's config. SDKs pass a list as JSON. */
function toText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const list: unknown = String(value).startsWith("[") ? JSON.parse(String(value)) : value;
  return Array.isArray(list) ? list.join(",") : String(list);
}
