import fc from "fast-check";
import type { Fault, FaultRule } from "../../src/simulator/index.js";

/** What a fault may be made of when it is injected. */
export interface Surroundings {
  /** The key in use, and the secret of any webhook that a call may be about: an API may echo both. */
  key: string;
  secretOf: (subject: { url?: unknown; webhookId?: unknown }) => string | undefined;
  /** Another account's API: where a redirect leads. */
  otherUrl: string;
  /** All secrets that there are. */
  secrets: readonly string[];
}

/** Something that is wrong with the API during one run. */
export interface Trouble {
  label: string;
  rules: (surroundings: Surroundings) => FaultRule[];
}

type StatusFault = Extract<Fault, { kind: "status" }>;
const status = (code: number, more: Omit<StatusFault, "kind" | "status"> = {}): StatusFault => ({
  kind: "status",
  status: code,
  ...more,
});
const PAGE = { body: "<!doctype html><h1>Sorry</h1>", contentType: "text/html" };
/** Soon enough for a run of this test to try again. */
const SOON = "0.02";

/**
 * All that the simulator can do to a call, but for what the provider has to take the API's word for, since no client
 * could know better: it does not refuse (3xx, 4xx, a 429, a 503 with Retry-After) what it carried out, does not confirm
 * (2xx) what it did not, and a 404 or 410 in its own shape is not a lie.
 */
const FAULTS: readonly Fault[] = [
  // Refused.
  ...[400, 401, 403, 405, 409, 413, 422].map((code) => status(code)),
  status(404, PAGE),
  status(410, PAGE),
  // Not now, and nothing was done.
  ...[SOON, "0", "86400", "Wed, 21 Oct 2015 07:28:00 GMT", "soon"].map((retryAfter) =>
    status(429, { retryAfter }),
  ),
  status(429),
  status(503, { retryAfter: SOON }),
  status(425),
  // It may have been done, or not.
  ...[408, 500, 502, 504].flatMap((code) => [status(code), status(code, { commit: true })]),
  ...[408, 500, 502].flatMap((code) => [
    status(code, { ...PAGE, retryAfter: SOON }),
    status(code, { ...PAGE, retryAfter: SOON, commit: true }),
  ]),
  status(503),
  status(503, { commit: true }),
  status(200, { body: "[]", retryAfter: SOON, commit: true }),
  status(200, { body: "[]", retryAfter: SOON }),
  { kind: "reset", when: "before reading" },
  { kind: "reset", when: "before commit" },
  { kind: "reset", when: "after commit" },
  { kind: "reset", when: "in reply" },
  { kind: "hang", commit: false },
  { kind: "hang", commit: true },
  // Done, with a reply that says little, or late.
  { kind: "latency", milliseconds: 5 },
  { kind: "latency", milliseconds: 150 },
  { kind: "slow", intervalMilliseconds: 2 },
  { kind: "close" },
  ...(["malformed", "html", "empty", "null", "array", "bom"] as const).map(
    (body): Fault => ({ kind: "reply", body }),
  ),
  { kind: "reply", body: "huge", bytes: 1_200_000 },
  { kind: "reply", body: "gzip bomb", bytes: 2_000_000 },
  ...["{}", '{"data":{}}', '{"data":{"webhook":[]}}', '{"data":null,"id":null}'].map(raw),
  ...["null", "true", "-1", "1.5", "1e400", '""', '" 7"', '"in-doubt:7"', `"${"7".repeat(300)}"`, "{}"].map(
    (id) => raw(`{"data":{"webhook":{"id":${id}}}}`),
  ),
];

function raw(body: string): Fault {
  return { kind: "reply", raw: body };
}

const rule = {
  times: fc.constantFrom(1, 1, 2, 3, Number.POSITIVE_INFINITY),
  skip: fc.constantFrom(0, 0, 1),
  probability: fc.constantFrom(1, 1, 0.5),
  seed: fc.nat(1000),
};
const operation = fc.constantFrom(undefined, "create", "create", "update", "delete");

const plain = fc
  .record({ operation, fault: fc.constantFrom(...FAULTS), ...rule })
  .map(({ operation, ...rest }) => trouble(operation === undefined ? rest : { operation, ...rest }));

/** The API says that it has no such webhook, which of a delete would be a lie. */
const unknownWebhook = fc
  .record({
    operation: fc.constantFrom("create", "update"),
    fault: fc.constantFrom(status(404), status(410)),
    ...rule,
  })
  .map((rest) => trouble(rest));

/** The API says of a webhook that it is not as it was told to be. */
const contradiction = fc
  .record({
    operation: fc.constant("update" as const),
    fault: fc
      .constantFrom("true", "false")
      .map((enabled) => raw(`{"data":{"webhook":{"enabled":"${enabled}"}}}`)),
    ...rule,
  })
  .map((rest) => trouble(rest));

const redirect = fc.record({ status: fc.constantFrom(301, 302, 303, 307, 308), ...rule }).map(
  ({ status, ...rest }): Trouble => ({
    label: `redirect ${status} to another account`,
    rules: ({ otherUrl }) => [{ ...rest, fault: { kind: "redirect", to: `${otherUrl}/webhooks`, status } }],
  }),
);

/** The API repeats, in its error, the key and the secret of the webhook that the call is about. */
const echo = fc
  .record({ code: fc.constantFrom(400, 403, 422, 500), form: fc.constantFrom("plain", "JSON", "base64") })
  .map(
    ({ code, form }): Trouble => ({
      label: `${code} that echoes key and secret as ${form}`,
      rules: ({ key, secrets, secretOf }) =>
        secrets.map((secret) => {
          const said = written(`Bearer ${key} sent ${secret}!`, form);
          return {
            times: Number.POSITIVE_INFINITY,
            match: ({ body }) => {
              const { url, webhook_id: webhookId } = Object(body);
              return secretOf({ url, webhookId }) === secret;
            },
            fault: status(code, { body: JSON.stringify({ message: said, errors: { secret: [said] } }) }),
          };
        }),
    }),
  );

function written(text: string, form: string): string {
  if (form === "JSON") return JSON.stringify({ text });
  return form === "base64" ? Buffer.from(text).toString("base64") : text;
}

function trouble({ ...rule }: FaultRule): Trouble {
  const { fault, operation = "any call", times = 1, skip = 0, probability = 1, seed = 1 } = rule;
  const when = `${skip > 0 ? `, after ${skip}` : ""}${probability < 1 ? `, with ${probability} by ${seed}` : ""}`;
  return { label: `${operation} ×${times}${when}: ${JSON.stringify(fault)}`, rules: () => [rule] };
}

/** What may be wrong while webhooks are probed, whose replies are taken at their word. */
export const silentTroubles = fc.array(plain, { minLength: 1, maxLength: 3 });

/** What may be wrong with the API during one run: mostly a few faults at once. */
export const troubles = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: plain },
    { weight: 1, arbitrary: unknownWebhook },
    { weight: 1, arbitrary: contradiction },
    { weight: 1, arbitrary: redirect },
    { weight: 1, arbitrary: echo },
  ),
  { minLength: 1, maxLength: 4 },
);
