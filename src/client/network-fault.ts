const UNKNOWN_ISSUER = /^UNABLE_TO|SELF_SIGNED|^CERT_UNTRUSTED/;
const TLS_FAULT = /CERT|^ERR_SSL|^ERR_TLS|^EPROTO|^UNABLE_TO|^HOSTNAME|_TLS$/;
/** What undici says of a proxy's reply, to a request for a tunnel or to one that it should pass on. */
const PROXY_REFUSAL = /^Proxy (?:response|Authentication Required) \((\d+)\)/;

/**
 * Explains why no response came from a host.
 * @returns the reason in words, whether it is `permanent`, so that a retry seldom helps, and whether it `isRefusal`: a
 *   proxy refused the request, and did not pass it on.
 */
export function explain(
  error: Error,
  { host, proxy }: { host: string; proxy?: string | undefined },
): { reason: string; permanent: boolean; isRefusal?: boolean } {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  // The peer's: a proxy's, if there is one on the way.
  const fields: Record<string, unknown> = cause instanceof Error ? { ...cause } : {};
  const { code, hostname, address, port } = fields;
  const passing = (reason: string) => ({ reason, permanent: false });
  const lasting = (reason: string) => ({ reason, permanent: true });

  const theProxy = proxy === undefined ? "the proxy" : `the proxy in ${proxy}`;
  /** Names the peer that could not be reached. */
  const named = (peer: string) => (proxy === undefined ? peer : `${peer}, ${theProxy},`);

  if (code === "EAI_AGAIN")
    return passing(`the host ${named(String(hostname ?? host))} could not be looked up (DNS: ${code})`);
  if (code === "ENOTFOUND")
    return lasting(`the host ${named(String(hostname ?? host))} is unknown (DNS: ${code})`);
  if (code === "ECONNREFUSED") {
    const isIPv6 = String(address).includes(":");
    const peer = address === undefined ? host : `${isIPv6 ? `[${address}]` : address}:${port}`;
    return lasting(`${named(peer)} refused the connection${peer === host ? "" : ` on the way to ${host}`}`);
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT")
    return passing(`no connection to ${proxy === undefined ? host : theProxy} in time`);
  // Only the request for a tunnel has this time-out.
  if (code === "UND_ERR_HEADERS_TIMEOUT") return passing(`${theProxy} did not connect to ${host} in time`);
  // undici's parser asserts what a response may be.
  if (code === "ERR_ASSERTION") return passing("the response is not valid HTTP");
  if (typeof code === "string" && TLS_FAULT.test(code)) {
    const remedy = UNKNOWN_ISSUER.test(code)
      ? "; for a private certificate authority set NODE_EXTRA_CA_CERTS, or NODE_USE_SYSTEM_CA=1 if this system trusts it"
      : "";
    const isHttp = code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_HTTP_REQUEST";
    const fault = isHttp ? `${code}: the server seems to speak http, not https` : code;
    return lasting(`no secure connection to ${host} (${fault}${remedy})`);
  }
  const status = PROXY_REFUSAL.exec(message)?.[1];
  if (status !== undefined) {
    const reason = `${theProxy} refused the connection to ${host} with ${status}`;
    return { reason, permanent: status < "500", isRefusal: true };
  }
  return passing(typeof code === "string" && !message.includes(code) ? `${message} (${code})` : message);
}
