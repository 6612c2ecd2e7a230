import { messageOf } from "../wording/errors.js";

const UNKNOWN_ISSUER = /^UNABLE_TO|SELF_SIGNED|^CERT_UNTRUSTED/;
const TLS_FAULT = /CERT|^ERR_SSL|^ERR_TLS|^EPROTO|^UNABLE_TO|^HOSTNAME|_TLS$/;
/** Only the request for a tunnel through a proxy has a time-out for headers. */
const NO_CONNECTION =
  /^(?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT)$/;
/** What undici says of a proxy's reply, to a request for a tunnel or to one that it should pass on. */
const PROXY_REFUSAL = /^Proxy (?:response|Authentication Required) \((\d+)\)/;

/**
 * Explains why no response came from a host.
 * @returns the reason in words, and `isRefusal`: whether a proxy refused the request, and did not pass it on.
 */
export function explain(error: Error, host: string): { reason: string; isRefusal?: boolean } {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const message = messageOf(cause);
  // That of an invalid header is undefined.
  const code = String(Object(cause).code ?? "");

  const status = PROXY_REFUSAL.exec(message)?.[1];
  if (status !== undefined)
    return { reason: `no connection to ${host}: the proxy refused it with ${status}`, isRefusal: true };
  if (NO_CONNECTION.test(code)) return { reason: `no connection to ${host} (${message})` };
  if (TLS_FAULT.test(code)) {
    const remedy = UNKNOWN_ISSUER.test(code)
      ? "; for a private certificate authority set NODE_EXTRA_CA_CERTS, or NODE_USE_SYSTEM_CA=1 if this system trusts it"
      : "";
    return { reason: `no secure connection to ${host} (${code}${remedy})` };
  }
  return { reason: code === "" || message.includes(code) ? message : `${message} (${code})` };
}
