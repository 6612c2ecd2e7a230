import { OWN_COMMAND, shellArgument, stackOption } from "../wording/command.js";
import { argumentOf, isOfAccount, type SettingName, variableOf } from "./setting-names.js";

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
}

/** Names settings in messages, and says how to change them: in the stack's config, the environment or a Provider. */
export class SettingGuide {
  readonly provider: string | undefined;
  readonly #sources: Sources;

  constructor(sources: Sources = {}) {
    this.provider = sources.provider;
    this.#sources = sources;
  }

  /** Names a setting, such as `webhooks:baseUrl`, `WEBHOOKS_BASE_URL` or `baseUrl of the Provider eu`. */
  name(setting: SettingName): string {
    const names = {
      environment: variableOf(setting),
      argument: `${argumentOf(setting)} of the Provider ${this.provider}`,
      config: `webhooks:${setting}`,
    };
    return names[this.#placeOf(setting)];
  }

  /** The command that checks the API of these settings. It reads them from a stack's config, or from the environment. */
  doctor(option = ""): string {
    const { stack, configFile } = this.#sources;
    const command = `${OWN_COMMAND} doctor${option && ` ${option}`}`;
    if (this.provider !== undefined)
      return `${command}, with ${variableOf("baseUrl")} and ${variableOf("apiKey")} of the Provider ${this.provider}`;
    const isOfStack = stack !== undefined || this.#placeOf("baseUrl") === "config";
    return command + (isOfStack ? stackOption(stack, configFile) : "");
  }

  /** Reports whether a setting is read from the state: a refresh or a destroy uses the value of the last up. */
  isInState(setting: SettingName): boolean {
    return this.#placeOf(setting) !== "environment";
  }

  /** Says how to change a setting, such as `run pulumi config set webhooks:drift probe`. */
  howToSet(setting: SettingName, value: string): string {
    const place = this.#placeOf(setting);
    if (place === "config") return `run ${this.#command(setting, value)}`;
    const isList = place === "argument" && argumentOf(setting) !== setting;
    return `set ${this.name(setting)} to ${isList ? JSON.stringify(value.split(",")) : value}`;
  }

  /** Says where to change a setting, such as `pulumi config set --secret webhooks:apiKey`. */
  whereToSet(setting: SettingName): string {
    return this.#placeOf(setting) === "config" ? this.#command(setting) : this.name(setting);
  }

  /** Says how to set what is missing, or to correct what is wrong, as a sentence. */
  remedy(setting: SettingName, isMissing: boolean): string {
    const verb = isMissing ? "Set" : "Correct";
    const ifMissing = (text: string) => (isMissing ? text : "");
    const remedies = {
      environment: `${verb} the environment variable${ifMissing(", or add --stack <name> to use the config of a stack")}.`,
      argument: `${verb} this argument in the program${isOfAccount(setting) ? "" : `, or webhooks:${setting} in the stack's config`}.`,
      config: `${verb} it: ${this.#command(setting)}${ifMissing(` (or the environment variable ${variableOf(setting)})`)}.`,
    };
    return remedies[this.#placeOf(setting)];
  }

  #placeOf(setting: SettingName): "environment" | "argument" | "config" {
    if (this.#sources.fromEnvironment?.has(setting)) return "environment";
    return this.provider === undefined ? "config" : "argument";
  }

  /** Returns the command that sets a setting in the stack's config. */
  #command(setting: SettingName, value?: string): string {
    const { stack, configFile } = this.#sources;
    const argument = value === undefined ? "<value>" : shellArgument(value);
    const set = setting === "apiKey" ? "--secret webhooks:apiKey" : `webhooks:${setting} ${argument}`;
    return `pulumi config set ${set}${stackOption(stack, configFile)}`;
  }
}

/** Explains settings in a command that uses those of the last up, even of a failed one. */
export const STORED_SETTINGS =
  "(Without --run-program, a destroy and a refresh use the settings of the last up.)";

/** Describes an API key that the stack's config has in plain text. Pulumi encrypts only the values set with --secret. */
export function plainKeyProblem(config?: Pick<Sources, "stack" | "configFile">): string {
  return `webhooks:apiKey is in the stack's config in plain text. Make it a secret: ${new SettingGuide(config).whereToSet("apiKey")}.`;
}
