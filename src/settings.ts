import { z } from "zod";

/** The namespace of the settings in a stack's config: `webhooks:apiKey`. */
export const NAMESPACE = "webhooks";

/**
 * Set, beside its arguments, by an explicit Provider: the settings are then its own, and what says whose webhooks they
 * reach is never completed from the environment.
 */
export const EXPLICIT_PROVIDER = `${NAMESPACE}:explicitProvider`;

const ENVIRONMENT = {
  apiKey: "WEBHOOKS_API_KEY",
  baseUrl: "WEBHOOKS_BASE_URL",
  allowHttp: "WEBHOOKS_ALLOW_HTTP",
  previousBaseUrl: "WEBHOOKS_PREVIOUS_BASE_URL",
  drift: "WEBHOOKS_DRIFT",
  timeoutSeconds: "WEBHOOKS_TIMEOUT_SECONDS",
  deadlineSeconds: "WEBHOOKS_DEADLINE_SECONDS",
  maxConnections: "WEBHOOKS_MAX_CONNECTIONS",
} as const;

type Name = keyof typeof ENVIRONMENT;

/** The settings that say whose webhooks are reached. */
const ACCOUNT: readonly Name[] = ["apiKey", "baseUrl", "previousBaseUrl"];

const flag = z.stringbool({ truthy: ["true"], falsy: ["false"], error: "must be true or false" });

const number = (what: string, least: number, most: number) =>
  z
    .string()
    .transform(Number)
    .refine((value) => value >= least && value <= most, {
      error: `must be ${what}, from ${least} to ${most}`,
    });

/** An address as it is recorded with each webhook: one way to write each, so that it can be compared. */
const address = (allowHttp: boolean) =>
  z.string().transform((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const refuse = (problem: string) => {
      context.addIssue(problem);
      return z.NEVER;
    };
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      return refuse("must be an https address, such as https://api.example.com/v1");
    }
    if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
      return refuse("must not hold a user name, a password, a query or a fragment");
    }
    if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowHttp) {
      return refuse(
        "must be https, since the API key would be sent readable; webhooks:allowHttp true permits it",
      );
    }
    return url.origin + url.pathname.replace(/\/+$/, "");
  });

const settings = (allowHttp: boolean) =>
  z.object({
    apiKey: z
      .string()
      .regex(/^[\x21-\x7e]+$/, {
        error: "must be the key alone: without spaces, line breaks or the word Bearer",
        abort: true,
      })
      .regex(/[^*]/, { error: "is a mask that hides the real key" }),
    baseUrl: address(allowHttp),
    allowHttp: flag.default(false),
    previousBaseUrl: address(true).optional(),
    drift: z.enum(["off", "probe"], { error: "must be off or probe" }).default("off"),
    timeoutSeconds: number("a number of seconds", 0.1, 3600).default(30),
    deadlineSeconds: number("a number of seconds", 0.1, 86_400).default(300),
    maxConnections: number("a number of connections", 1, 1000)
      .pipe(z.int("must be a whole number"))
      .default(64),
  });

/** What the provider needs to know to reach the API of one account. */
export type Settings = z.infer<ReturnType<typeof settings>>;

/** The settings, or every problem with them at once: a line each, with the command that mends it, and without the values. */
export type ReadSettings = { settings: Settings } | { problems: string[] };

/**
 * Reads the settings: of a stack's config first, then of the environment.
 *
 * @param config gives the value of a full key such as `webhooks:apiKey`.
 */
export function readSettings(
  config: (key: string) => string | undefined,
  environment: Record<string, string | undefined>,
): ReadSettings {
  const account = config(EXPLICIT_PROVIDER);
  const given: Partial<Record<Name, string>> = {};
  for (const [name, variable] of entries(ENVIRONMENT)) {
    const own = account !== undefined && ACCOUNT.includes(name);
    const value = config(`${NAMESPACE}:${name}`) ?? (own ? undefined : environment[variable]);
    if (value !== undefined && value !== "") given[name] = value;
  }

  const parsed = settings(given.allowHttp === "true").safeParse(given);
  if (parsed.success) return { settings: parsed.data };
  const problems = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]) as Name; // The schema's own keys.
    const problem = given[name] === undefined ? "is missing" : issue.message;
    return `${NAMESPACE}:${name} ${problem}. ${remedyOf(name, account)}`;
  });
  return { problems };
}

function remedyOf(name: Name, account: string | undefined): string {
  if (account !== undefined) return `It is the argument ${name} of the Provider ${account}.`;
  const command =
    name === "apiKey" ? "pulumi config set --secret webhooks:apiKey" : `pulumi config set webhooks:${name} …`;
  return `Set it: ${command} (or the environment variable ${ENVIRONMENT[name]}).`;
}

/** Whether a host, as a URL gives it, is this machine: it may be http, and is never asked for through a proxy. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

// Object.entries() forgets the keys' names.
const entries = Object.entries as <Key extends string, Value>(object: Record<Key, Value>) => [Key, Value][];
