import { isLoopback } from "../settings/settings.js";
import { failed } from "../wording/errors.js";

/**
 * Reports whether the environment names a proxy. undici uses it, unless NO_PROXY excludes the host. This machine is never behind one.
 *
 * @throws WebhookError if it is not the URL of an HTTP proxy. Through one of SOCKS, undici would reuse the connection of a create.
 */
export function isProxySet({ host, hostname }: URL): boolean {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env;
  const proxies = [http_proxy ?? HTTP_PROXY, https_proxy ?? HTTPS_PROXY].filter((url) => url);
  if (proxies.length === 0 || isLoopback(hostname)) return false;
  if (proxies.every((url = "") => isUsable(url))) return true;
  // Without the value, which may contain a password.
  throw failed(
    `Connecting to ${host}`,
    "the environment variable HTTPS_PROXY or HTTP_PROXY is not the URL of an HTTP proxy, such as http://proxy.example.com:8080.",
  );
}

/** Reports whether undici accepts this proxy. It decodes the user and the password of the URL. */
const isUsable = (url: string) => /^https?:/i.test(url) && URL.canParse(url) && !/%(?![\da-f]{2})/i.test(url);
