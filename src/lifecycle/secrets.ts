import type { Secret } from "../client/quote.js";
import { isDistinct, UNKNOWN_SECRETS } from "../client/quote.js";
import { SECRET_NAME, SECRET_URL } from "../stack/hidden-properties.js";
import type { Named } from "../stack/shown-name.js";
import type { Inputs } from "./inputs.js";

/** A webhook that is sent, or a record of one. */
type Confidential = Named & Pick<Inputs, "url" | "secret" | typeof SECRET_URL>;

/** Returns what must not appear in a message when the API quotes it. */
export function secretsOf(...webhooks: (Confidential | undefined)[]): Secret[] {
  return webhooks
    .filter((webhook) => webhook !== undefined)
    .flatMap(({ url, name, secret, [SECRET_NAME]: isNameSecret, [SECRET_URL]: isUrlSecret }) => [
      ...(isUrlSecret ? partsOf(url) : [{ url }]),
      ...(secret === undefined ? [] : [secret]),
      ...(isNameSecret ? [name] : []),
    ]);
}

/** Returns what must not appear in a message about a recorded webhook. Without a record, that is anything. */
export function secretsOfRecord(recorded: Confidential | undefined): readonly Secret[] {
  return recorded === undefined ? UNKNOWN_SECRETS : secretsOf(recorded);
}

/** Returns a URL that is a secret, its host and the values of its query, which the API may quote alone. */
function partsOf(url: string): Secret[] {
  const { host = "", searchParams = new URLSearchParams() } = URL.parse(url) ?? {};
  const withoutScheme = url.replace(/^[a-z\d+.-]*:\/*/i, "");
  return [{ url }, withoutScheme, host, ...[...searchParams.values()].filter(isDistinct)];
}
