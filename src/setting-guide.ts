/** The environment variable of each setting. In the stack's config a setting is `webhooks:<name>`. */
export const VARIABLES = {
  apiKey: "WEBHOOKS_API_KEY",
  baseUrl: "WEBHOOKS_BASE_URL",
  allowHttp: "WEBHOOKS_ALLOW_HTTP",
  previousBaseUrl: "WEBHOOKS_PREVIOUS_BASE_URL",
  drift: "WEBHOOKS_DRIFT",
  timeoutSeconds: "WEBHOOKS_TIMEOUT_SECONDS",
  deadlineSeconds: "WEBHOOKS_DEADLINE_SECONDS",
  maxConnections: "WEBHOOKS_MAX_CONNECTIONS",
} as const;

/** The name of a setting. */
export type SettingName = keyof typeof VARIABLES;

interface Sources {
  /** The name of the explicit Provider whose arguments the settings are. */
  provider?: string | undefined;
  /** The settings whose values came from the environment. */
  fromEnvironment?: ReadonlySet<SettingName>;
}

/** Names settings in messages, and says how to change them: in the stack's config, the environment or a Provider. */
export class SettingGuide {
  readonly #provider: string | undefined;
  readonly #fromEnvironment: ReadonlySet<SettingName>;

  constructor({ provider, fromEnvironment = new Set() }: Sources = {}) {
    this.#provider = provider;
    this.#fromEnvironment = fromEnvironment;
  }

  /** Names a setting, such as `webhooks:baseUrl`, `WEBHOOKS_BASE_URL` or `baseUrl of the Provider eu`. */
  name(setting: SettingName): string {
    if (this.#fromEnvironment.has(setting)) return VARIABLES[setting];
    return this.#provider === undefined
      ? `webhooks:${setting}`
      : `${setting} of the Provider ${this.#provider}`;
  }

  /** Reports whether the state keeps a setting: a refresh or a destroy then uses the value of the last up. */
  isInState(setting: SettingName): boolean {
    return !this.#fromEnvironment.has(setting);
  }

  /** Says how to change a setting, such as `run pulumi config set webhooks:drift probe`. */
  howToSet(setting: SettingName, value?: string): string {
    if (this.#isInConfig(setting)) return `run ${this.#command(setting, value)}`;
    return `set ${this.name(setting)}${value === undefined ? "" : ` to ${value}`}`;
  }

  /** Says where to change a setting, such as `pulumi config set --secret webhooks:apiKey`. */
  whereToSet(setting: SettingName): string {
    return this.#isInConfig(setting) ? this.#command(setting) : this.name(setting);
  }

  /** Says how to correct a missing or wrong setting, as a sentence. */
  remedy(setting: SettingName): string {
    if (this.#isInConfig(setting)) {
      return `Set it: ${this.#command(setting)} (or the environment variable ${VARIABLES[setting]}).`;
    }
    return this.isInState(setting)
      ? "It is an argument of the Provider."
      : "Correct the environment variable.";
  }

  #isInConfig(setting: SettingName): boolean {
    return this.#provider === undefined && !this.#fromEnvironment.has(setting);
  }

  #command(setting: SettingName, value = "…"): string {
    if (setting === "apiKey") return "pulumi config set --secret webhooks:apiKey";
    return `pulumi config set webhooks:${setting} ${value}`;
  }
}
