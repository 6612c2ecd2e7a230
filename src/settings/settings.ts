import { z } from "zod";
import { seenByOf } from "../record/seen-by.js";
import { parseHttpUrl, toBaseUrl, unwrap } from "./http-url.js";
import { SettingGuide, type Sources } from "./setting-guide.js";
import {
  EXPLICIT_PROVIDER,
  isOfAccount,
  SETTING_NAMES,
  type SettingName,
  variableOf,
} from "./setting-names.js";

const flag = z.stringbool({ truthy: ["true"], falsy: ["false"], error: "must be true or false" });

const number = (what: string, least: number, most: number) => {
  const error = `must be ${what}, from ${least} to ${most}`;
  return z.coerce.number(error).min(least, error).max(most, error);
};

const NOT_A_STATUS = "must be 400 or 422";
const NOT_STATUSES = "must be a status from 500 to 599, or several, separated by commas";
const NOT_ENCRYPTED = "must be https, unless allowHttp is true: over http, the API key is sent in the clear";

/** Values with commas between them, or a list of YAML or JSON. */
const list = z.string().transform((text) =>
  text
    .replace(/^\[(.*)\]$/s, "$1")
    .split(",")
    .map(unwrap)
    .filter(Boolean),
);

const serverError = z
  .string()
  .regex(/^5\d\d$/, NOT_STATUSES)
  .transform(Number);

const baseUrl = (allowHttp: boolean) =>
  z.string().transform((value, context) => {
    const url = parseHttpUrl(value);
    const refuse = (problem: string) => {
      context.addIssue(problem);
      return z.NEVER;
    };
    if (url === undefined) return refuse("must be an https URL, such as https://api.example.com/v1");
    if (url.username + url.password + url.search + url.hash !== "")
      return refuse("must not contain a user name, a password, a query or a fragment");
    const isEncrypted = url.protocol === "https:" || isLoopback(url.hostname);
    return isEncrypted || allowHttp ? toBaseUrl(url) : refuse(NOT_ENCRYPTED);
  });

/** Returns the schema of the settings. @param allowHttp whether their API may be reached over http. */
export const schema = (allowHttp: boolean) =>
  z.object({
    apiKey: z
      .string()
      .regex(/^[\x21-\x7e]+$/, {
        error:
          "must be the key alone: visible ASCII characters, without spaces, line breaks or the word Bearer",
        abort: true,
      })
      .regex(/[^*]/, { error: "is a mask, not the key" }),
    baseUrl: baseUrl(allowHttp),
    allowHttp: flag.default(false),
    previousBaseUrl: list.pipe(z.array(baseUrl(true))).optional(),
    drift: z.enum(["off", "probe", "enforce"], { error: "must be off, probe or enforce" }).default("off"),
    timeoutSeconds: number("a number of seconds", 0.1, 3600).default(30),
    deadlineSeconds: number("a number of seconds", 0.1, 86_400).default(300),
    maxConnections: number("a number of connections", 1, 1000).int("must be a whole number").default(64),
    ignoreUpdatedAt: flag.default(false),
    unknownIdStatus: z.coerce
      .number(NOT_A_STATUS)
      .int(NOT_A_STATUS)
      .refine((status) => status === 400 || status === 422, NOT_A_STATUS)
      .optional(),
    noEffectStatus: list.pipe(z.array(serverError).min(1, NOT_STATUSES)).optional(),
  } satisfies Record<SettingName, z.ZodType>);

/** The settings of one account. */
export type Settings = z.infer<ReturnType<typeof schema>>;

/** Returns the base URLs at which an account's webhooks may have been created. */
export function baseUrlsOf({ baseUrl, previousBaseUrl = [] }: Settings): string[] {
  return [baseUrl, ...previousBaseUrl];
}

/** The settings, or what is wrong with them. */
export type ParsedSettings = UsableSettings | UnusableSettings;

interface UnusableSettings {
  /**
   * Describes all problems at once: a line each, with what fixes it. A process of the dynamic provider is configured before it knows the
   * stack, which the commands in these lines name.
   */
  problems: () => string[];
  guide: SettingGuide;
  /** Undefined if it has a problem itself. */
  drift: Settings["drift"] | undefined;
  seenBy?: undefined;
}

/** Settings without a problem, and how to name them. */
export interface UsableSettings {
  settings: Settings;
  guide: SettingGuide;
  drift: Settings["drift"];
  /** The mark of the API key. */
  seenBy: string;
}

interface SettingSources extends Pick<Sources, "stack" | "configFile"> {
  /** Returns the value of a full key such as `webhooks:apiKey`. Default: all settings come from the environment. */
  config?: ((key: string) => string | undefined) | undefined;
  environment: Record<string, string | undefined>;
  /** The settings that a preview does not know yet. They have no problems. */
  unknown?: ReadonlySet<string>;
}

/** Parses the settings, from the stack's config or a Provider's arguments first, then from the environment. */
export function parseSettings({
  config,
  environment,
  unknown = new Set(),
  ...named
}: SettingSources): ParsedSettings {
  const provider = config?.(EXPLICIT_PROVIDER);
  const given: Partial<Record<SettingName, string>> = {};
  const fromEnvironment = new Set<SettingName>();
  for (const name of SETTING_NAMES) {
    const isOwn = provider !== undefined && isOfAccount(name);
    const configured = config?.(`webhooks:${name}`);
    const value = unwrap(configured ?? (isOwn ? undefined : environment[variableOf(name)]) ?? "");
    const isGiven = value !== "";
    if (isGiven) given[name] = value;
    if (config === undefined || (isGiven && configured === undefined)) fromEnvironment.add(name);
  }

  const guide = new SettingGuide({ provider, fromEnvironment, ...named });
  const allowHttp = flag.safeParse(given.allowHttp).data === true;
  const wanted = schema(allowHttp);
  const parsed = wanted.safeParse(given);
  if (parsed.success) {
    const { apiKey, drift } = parsed.data;
    return { settings: parsed.data, guide, drift, seenBy: seenByOf(apiKey, provider) };
  }
  const issues = parsed.error.issues.filter((issue) => !unknown.has(String(issue.path[0])));
  const describe = (issue: z.core.$ZodIssue) => {
    const name = String(issue.path[0]) as SettingName; // The schema's own keys.
    const isMissing = given[name] === undefined;
    return `${guide.name(name)} ${isMissing ? "is missing" : issue.message}. ${guide.remedy(name, isMissing)}`;
  };
  const drift = wanted.shape.drift.safeParse(given.drift).data;
  return { problems: () => [...new Set(issues.map(describe))], guide, drift };
}

/** Reports whether the host of a URL is this machine: it may be http, and is never reached through a proxy. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}
