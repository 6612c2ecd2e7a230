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

/** Finds all problems of a provider's settings, a sentence each. */
export function findSettingProblems(provider: Provider): string[] {
  const parsed = parseProviderSettings(provider);
  const others = [findPlainKey(provider), findUnknownSettings(provider)];
  return [...("problems" in parsed ? parsed.problems : []), ...others.filter((one) => one !== undefined)];
}

/** An explicit Provider's key is an argument, which is always a secret. */
function findPlainKey({ urn, stack }: Provider): string | undefined {
  const { config } = readStackFile(stackOf(urn, undefined).stack, process.cwd());
  const key = config?.["webhooks:apiKey"] ?? undefined;
  // An encrypted one is an object. The engine passes all of them decrypted.
  if (providerNameOf(urn) !== undefined || key === undefined || typeof key === "object") return undefined;
  const isAutomated = process.env.PULUMI_AUTOMATION_API === "true";
  const guide = new SettingGuide({ stack: stack && printStackName(stack), isAutomated });
  return plainKeyProblem(guide);
}

/** What the engine itself adds to a provider's inputs. */
const OF_THE_ENGINE = ["version", "pluginDownloadURL"];

/** A misspelled setting would have no effect. In a project named webhooks, `webhooks:` is its own config as well. */
function findUnknownSettings({ urn, inputs }: Provider): string | undefined {
  const provider = providerNameOf(urn);
  if (provider === undefined && stackOf(urn, undefined).project === "webhooks") return undefined;
  const names = Object.keys(inputs.values).filter(
    (name) => !name.startsWith("__") && !OF_THE_ENGINE.includes(name),
  );
  return unknownSettingsProblem({ names, provider });
}

/** Settings are texts, as in a stack's config. */
function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
