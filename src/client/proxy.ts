import { isIP } from "node:net";
import { isLoopback } from "../settings/settings.js";
import { failed } from "../wording/errors.js";

/** A proxy, and the environment variable that names it. */
export interface NamedProxy {
  url: string;
  variable: string;
}

/**
 * Finds the proxy that the environment names for a URL, as curl does: by the variable of the URL's scheme only, in lower case first,
 * unless NO_PROXY excludes the host. A proxy without a scheme is one over http.
 *
 * @throws WebhookError if the variable is not the URL of an HTTP proxy.
 */
export function findProxy(target: URL, environment: NodeJS.ProcessEnv = process.env): NamedProxy | undefined {
  const lower = `${target.protocol.slice(0, -1)}_proxy`;
  const variable = environment[lower] === undefined ? lower.toUpperCase() : lower;
  const value = environment[variable] ?? "";
  const { no_proxy: noProxy = environment.NO_PROXY ?? "" } = environment;
  if (value === "" || isLoopback(target.hostname) || isExcluded(target, noProxy)) return undefined;
  const url = URL.parse(value.includes("://") ? value : `http://${value}`);
  const isEncoded = url !== null && !/%(?![\da-f]{2})/i.test(url.username + url.password);
  if (isEncoded && /^https?:$/.test(url.protocol)) return { url: url.href, variable };
  // Without the value, which may contain a password.
  throw failed(
    `Connecting to ${target.host}`,
    `the environment variable ${variable} is not the URL of an HTTP proxy, such as http://proxy.example.com:8080.`,
  );
}

/** Reports whether NO_PROXY lists a host, or a domain above it, for its port or for all; `*` is every host. */
function isExcluded(target: URL, noProxy: string): boolean {
  return noProxy.split(/[\s,]+/).some((entry) => {
    const name = entry.replace(/^\*?\./, "");
    const host = isIP(name) === 6 ? `[${name}]` : name;
    const listed = URL.parse(`${target.protocol}//${host}`);
    if (listed === null || (/:\d+$/.test(host) && listed.port !== target.port)) return false;
    return listed.hostname === "*" || `.${target.hostname}`.endsWith(`.${listed.hostname}`);
  });
}
