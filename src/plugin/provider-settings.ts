import { readStackFile } from "../pulumi/project.js";
import { UNKNOWN } from "../record/special-values.js";
import { printStackName, type StackName } from "../record/stack-name.js";
import { stackOf } from "../record/urn.js";
import { plainKeyProblem, SettingGuide } from "../settings/setting-guide.js";
import { EXPLICIT_PROVIDER, unknownSettingsProblem } from "../settings/setting-names.js";
import { type ParsedSettings, parseSettings } from "../settings/settings.js";
import { providerNameOf } from "../stack/providers.js";
import type { Received } from "./struct.js";

interface Provider {
  urn: string;
  /** Undefined if the stack's organization is not known. */
  stack: StackName | undefined;
  /** The provider's inputs: the arguments of an explicit one, or the stack's config. */
  inputs: Received;
}

/** Parses the settings of a provider. Those that a preview does not know yet have no problems. */
export function parseProviderSettings({ urn, stack, inputs }: Provider): ParsedSettings {
  const { values } = inputs;
  const config = (key: string) =>
    key === EXPLICIT_PROVIDER ? providerNameOf(urn) : toText(values[key.slice("webhooks:".length)]);
  const unknown = new Set(Object.keys(values).filter((name) => values[name] === UNKNOWN));
  return parseSettings({ config, environment: process.env, unknown, stack: stack && printStackName(stack) });
}

/** What the engine itself adds to a provider's inputs. */
const OF_THE_ENGINE = ["version", "pluginDownloadURL"];

/** Finds all problems of a provider's settings, a sentence each. */
export function findSettingProblems(given: Provider): string[] {
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
  // A misspelled setting would have no effect. In a project named webhooks, `webhooks:` is its own config as well.
  if (provider === undefined && project === "webhooks") return problems;
  const names = Object.keys(inputs.values).filter(
    (input) => !input.startsWith("__") && !OF_THE_ENGINE.includes(input),
  );
  const unknown = unknownSettingsProblem({ names, provider, stack });
  return unknown === undefined ? problems : [...problems, unknown];
}

/** Settings are texts, as in a stack's config. */
function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
