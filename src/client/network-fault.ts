const UNKNOWN_ISSUER = /^UNABLE_TO|SELF_SIGNED|^CERT_UNTRUSTED/;
const TLS_FAULT = /CERT|^ERR_SSL|^ERR_TLS|^EPROTO|^UNABLE_TO|^HOSTNAME|_TLS$/;
/** What undici says of a proxy's reply, to a request for a tunnel or to one that it should pass on. */
const PROXY_REFUSAL = /^Proxy (?:response|Authentication Required) \((\d+)\)/;

/**
 * Explains why no response came from a host.
 * @returns the reason in words, and `isRefusal`: whether a proxy refused the request, and did not pass it on.
 */
export function explain(
  error: Error,
  { host, proxy }: { host: string; proxy?: string | undefined },
): { reason: string; isRefusal?: boolean } {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const theProxy = proxy === undefined ? "the proxy" : `the proxy in ${proxy}`;
  const peer = proxy === undefined ? host : theProxy;

  const status = PROXY_REFUSAL.exec(message)?.[1];
  if (status !== undefined)
    return { reason: `${theProxy} refused the connection to ${host} with ${status}`, isRefusal: true };
  if (code === "EAI_AGAIN" || code === "ENOTFOUND")
    return { reason: `${peer} could not be looked up (DNS: ${message})` };
  if (code === "ECONNREFUSED") return { reason: `${peer} refused the connection (${message})` };
  if (code === "UND_ERR_CONNECT_TIMEOUT") return { reason: `no connection to ${peer} in time` };
  // Only the request for a tunnel has this time-out.
  if (code === "UND_ERR_HEADERS_TIMEOUT") return { reason: `${theProxy} did not connect to ${host} in time` };
  // undici's parser asserts what a response may be.
  if (code === "ERR_ASSERTION") return { reason: "the response is not valid HTTP" };
  if (TLS_FAULT.test(code)) {
    const remedy = UNKNOWN_ISSUER.test(code)
      ? "; for a private certificate authority set NODE_EXTRA_CA_CERTS, or NODE_USE_SYSTEM_CA=1 if this system trusts it"
      : "";
    return { reason: `no secure connection to ${host} (${code}${remedy})` };
  }
  return { reason: code === "" || message.includes(code) ? message : `${message} (${code})` };
}
