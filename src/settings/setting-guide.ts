import { OWN_COMMAND, shellArgument, stackOption } from "../wording/command.js";

/** The environment variable of each setting. In the stack's config a setting is `webhooks:<name>`. */
export const VARIABLES = {
  apiKey: "WEBHOOKS_API_KEY",
  baseUrl: "WEBHOOKS_BASE_URL",
  allowHttp: "WEBHOOKS_ALLOW_HTTP",
  previousBaseUrl: "WEBHOOKS_PREVIOUS_BASE_URL",
  drift: "WEBHOOKS_DRIFT",
  refreshBeforeUpdate: "WEBHOOKS_REFRESH_BEFORE_UPDATE",
  timeoutSeconds: "WEBHOOKS_TIMEOUT_SECONDS",
  deadlineSeconds: "WEBHOOKS_DEADLINE_SECONDS",
  maxConnections: "WEBHOOKS_MAX_CONNECTIONS",
  ignoreUpdatedAt: "WEBHOOKS_IGNORE_UPDATED_AT",
  unknownIdStatus: "WEBHOOKS_UNKNOWN_ID_STATUS",
} as const;

/** The name of a setting. */
export type SettingName = keyof typeof VARIABLES;

/** The settings that select the account: those of a Provider come from its arguments only. */
export const ACCOUNT: readonly SettingName[] = ["apiKey", "baseUrl", "previousBaseUrl"];

/** An explicit Provider sets it to its name. The settings of the account are then never read from the environment. */
export const EXPLICIT_PROVIDER = "webhooks:explicitProvider";

/** Where settings come from, and who uses them. */
export interface Sources {
  /** The name of the explicit Provider whose arguments the settings are. */
  provider?: string | undefined;
  /** The settings whose values came from the environment, or must come from it. */
  fromEnvironment?: ReadonlySet<SettingName>;
  /** The stack that commands must name. Default: none, since Pulumi runs with the selected one. */
  stack?: string | undefined;
  /** The config file that they must name. Default: that of the stack. */
  configFile?: string | undefined;
  /** Whether a command of this package uses the settings, and not Pulumi. */
  isOwnCommand?: boolean | undefined;
  /** Whether a program of the Automation API sets the stack's config, and not a person in a terminal. */
  isAutomated?: boolean | undefined;
  /** Whether the option `customTimeouts` of the resource sets the deadline. */
  hasCustomTimeout?: boolean;
}

/** Names settings in messages, and says how to change them: in the stack's config, the environment or a Provider. */
export class SettingGuide {
  readonly #sources: Sources;

  constructor(sources: Sources = {}) {
    this.#sources = sources;
  }

  /** The name of the explicit Provider whose settings these are. */
  get provider(): string | undefined {
    return this.#sources.provider;
  }

  /** Returns a guide that names the option `customTimeouts` in the place of the deadline. */
  withCustomTimeout(): SettingGuide {
    return new SettingGuide({ ...this.#sources, hasCustomTimeout: true });
  }

  /** Names a setting, such as `webhooks:baseUrl`, `WEBHOOKS_BASE_URL` or `baseUrl of the Provider eu`. */
  name(setting: SettingName): string {
    if (setting === "deadlineSeconds" && this.#sources.hasCustomTimeout) return "customTimeouts";
    if (this.#isFromEnvironment(setting)) return VARIABLES[setting];
    return this.provider === undefined
      ? `webhooks:${setting}`
      : `${setting} of the Provider ${this.provider}`;
  }

  /** The command that checks the API of these settings. It reads them from a stack's config, or from the environment. */
  get doctor(): string {
    const { stack, configFile } = this.#sources;
    return this.provider === undefined
      ? `${OWN_COMMAND} doctor${stack === undefined ? UNKNOWN_STACK_OPTION : stackOption(stack, configFile)}`
      : `${OWN_COMMAND} doctor, with ${VARIABLES.baseUrl} and ${VARIABLES.apiKey} of the Provider ${this.provider}`;
  }

  /** Reports whether a setting is read from the state: a refresh or a destroy uses the value of the last up. */
  isInState(setting: SettingName): boolean {
    return !this.#isFromEnvironment(setting) && !this.#sources.isOwnCommand;
  }

  /** Names what lets more requests end within their deadlines. Pulumi decides how many operations run at once. */
  get moreTime(): string {
    return `${this.#sources.isOwnCommand ? "" : "a smaller --parallel or "}a longer ${this.name("deadlineSeconds")}`;
  }

  /** Says how to change a setting, such as `run pulumi config set webhooks:drift probe`. */
  howToSet(setting: SettingName, value?: string): string {
    if (this.#isInConfig(setting) && !this.#sources.isAutomated)
      return `run ${this.#command(setting, value)}`;
    return `set ${this.whereToSet(setting)}${value === undefined ? "" : ` to ${value}`}`;
  }

  /** Says where to change a setting, such as `pulumi config set --secret webhooks:apiKey`. */
  whereToSet(setting: SettingName): string {
    if (!this.#isInConfig(setting)) return this.name(setting);
    if (!this.#sources.isAutomated) return this.#command(setting);
    return `${setting === "apiKey" ? "the secret " : ""}${this.name(setting)} in the stack's config`;
  }

  /** Says how to correct a missing or a wrong setting, as a sentence. */
  remedy(setting: SettingName, kind: "missing" | "wrong"): string {
    const isMissing = kind === "missing";
    if (this.#isFromEnvironment(setting)) {
      return isMissing
        ? "Set the environment variable, or add --stack <name> to use the config of a stack."
        : "Correct the environment variable.";
    }
    if (this.provider !== undefined) {
      const argument = `${isMissing ? "Set" : "Correct"} this argument in the program`;
      const inherited = ACCOUNT.includes(setting) ? "" : `, or webhooks:${setting} in the stack's config`;
      return `${argument}${inherited}.`;
    }
    const where = this.whereToSet(setting);
    if (!isMissing) return `Correct it: ${where}.`;
    return `Set it: ${where} (or the environment variable ${VARIABLES[setting]}).`;
  }

  #isFromEnvironment(setting: SettingName): boolean {
    return this.#sources.fromEnvironment?.has(setting) ?? false;
  }

  #isInConfig(setting: SettingName): boolean {
    return this.provider === undefined && !this.#isFromEnvironment(setting);
  }

  #command(setting: SettingName, value?: string): string {
    const option = stackOption(this.#sources.stack, this.#sources.configFile);
    if (setting === "apiKey") return `pulumi config set --secret webhooks:apiKey${option}`;
    const argument = value === undefined ? "<value>" : shellArgument(value);
    return `pulumi config set webhooks:${setting} ${argument}${option}`;
  }
}

/** Explains wrong settings, or a refused key, in a command which may have used those in the state. */
export const STORED_SETTINGS =
  "(Without --run-program, a destroy and a refresh, also that of an up, use the settings of the last up, even of a failed one.)";

/** Names the stack in a command that requires its name, for a reader who knows it: the provider never learns it. */
export const UNKNOWN_STACK_OPTION = " --stack <name>";

/** Describes an API key that the stack's config has in plain text. Pulumi encrypts only the values set with --secret. */
export function plainKeyProblem(guide: SettingGuide): string {
  return `webhooks:apiKey is in the stack's config in plain text. Make it a secret: ${guide.whereToSet("apiKey")}.`;
}

const NAMES = Object.keys(VARIABLES);

/**
 * Describes settings, or arguments of an explicit Provider, that do not exist, each with the one that was probably meant.
 * @returns undefined if all exist.
 */
export function unknownSettingsProblem(names: readonly string[], provider?: string): string | undefined {
  const unknown = names.filter((name) => !NAMES.includes(name));
  if (unknown.length === 0) return undefined;
  const guesses = unknown.map((name) => {
    const setting = findSimilar(name.toLowerCase());
    return setting === undefined ? name : `${name} (did you mean ${setting}?)`;
  });
  const keys = unknown.map((name) => `webhooks:${shellArgument(name)}`).join(" ");
  const [what, how] =
    provider === undefined
      ? ["The stack's config has unknown settings of pulumi-webhooks", ` (pulumi config rm-all ${keys})`]
      : [`The Provider ${provider} of pulumi-webhooks has unknown arguments`, ""];
  return `${what}: ${guesses.join(", ")}. Correct or remove them${how}. The settings are ${NAMES.join(", ")}.`;
}

function findSimilar(name: string): string | undefined {
  const beginning = name.slice(0, 4);
  return (
    NAMES.find((setting) => setting.toLowerCase().startsWith(beginning)) ??
    NAMES.find((setting) => setting.toLowerCase().includes(name))
  );
}
