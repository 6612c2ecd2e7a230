import fc from "fast-check";
import type { Call, Fault, FaultRule } from "../../../src/simulator/index.js";

/** The values that a fault may contain. */
export interface Surroundings {
  /** The key that the API accepts, which it may echo. */
  key: string;
  /** Finds the secret of a request's webhook: an API may echo it too. */
  secretOf: (call: Call) => string | undefined;
  /** The target of redirects: another account's API. */
  otherUrl: string;
  /** The ids of all webhooks. */
  ids: readonly string[];
  /** All secrets of the model. */
  secrets: readonly string[];
}

/** A fault of the API during one run. */
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
/** Short enough for a run of this test to retry. */
const SOON = "0.02";

/**
 * All faults of the simulator, except lies that no client could detect: the API never refuses (3xx, 4xx, 429, 503 with
 * Retry-After) a request that took effect, never confirms (2xx) one that did not, and its own 404 and 410 are true.
 */
const FAULTS: readonly Fault[] = [
  // Refused.
  ...[400, 401, 403, 405, 409, 413, 422].map((code) => status(code)),
  status(404, PAGE),
  status(410, PAGE),
  // Refused for now.
  ...[SOON, "0", "86400", "Wed, 21 Oct 2015 07:28:00 GMT", "soon"].map((retryAfter) =>
    status(429, { retryAfter }),
  ),
  status(429),
  status(503, { retryAfter: SOON }),
  status(425),
  // It may have taken effect, or not.
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
  // It took effect, and the reply is late or unusable.
  { kind: "latency", milliseconds: 5 },
  { kind: "latency", milliseconds: 150 },
  { kind: "slow", intervalMilliseconds: 2 },
  { kind: "close" },
  ...(["malformed", "html", "empty", "null", "array", "bom"] as const).map(
    (body): Fault => ({ kind: "reply", body }),
  ),
  { kind: "reply", body: "huge", bytes: 1_200_000 },
  { kind: "reply", body: "gzip bomb", bytes: 2_000_000 },
  // A success with an error inside.
  ...[
    '{"success":false,"error":{"message":"Try again"}}',
    '{"status":"error","data":{"message":"Not now"}}',
  ].flatMap((body) => [raw(body), status(200, { body, retryAfter: SOON })]),
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

/** The reply of a gateway that has lost its route to the API. */
const LOST_ROUTE = status(404, { body: '{"message":"no Route matched with those values"}' });

/** The API or a gateway replies that there is no such webhook, without having been asked to delete it. */
const unknownWebhook = fc
  .record({
    operation: fc.constantFrom("create", "update"),
    fault: fc.constantFrom(status(404), status(410), LOST_ROUTE),
    ...rule,
  })
  .map((rest) => trouble(rest));

/** The API replies with another webhook's record. After a create no client could know. */
const otherRecord = fc
  .record({
    operation: fc.constantFrom("update", "delete"),
    fault: fc
      .constant('{"data":{"webhook":{"id":"999999999","name":"Orders","enabled":"true"}}}')
      .chain((body) => fc.constantFrom<Fault>(raw(body), status(200, { body, retryAfter: SOON }))),
    ...rule,
  })
  .map((rest) => trouble(rest));

/** The API's replies to updates contradict what was sent. */
const contradiction = fc.record({ enabled: fc.constantFrom("true", "false"), ...rule }).map(
  ({ enabled, ...rest }): Trouble => ({
    label: `update replies that enabled is ${enabled}`,
    rules: ({ ids }) =>
      ids.map((id) => ({
        ...rest,
        operation: "update",
        match: ({ body }) => Object(body).webhook_id === id,
        fault: raw(`{"data":{"webhook":{"id":"${id}","enabled":"${enabled}"}}}`),
      })),
  }),
);

const redirect = fc.record({ status: fc.constantFrom(301, 302, 303, 307, 308), ...rule }).map(
  ({ status, ...rest }): Trouble => ({
    label: `redirect ${status} to another account`,
    rules: ({ otherUrl }) => [{ ...rest, fault: { kind: "redirect", to: `${otherUrl}/webhooks`, status } }],
  }),
);

/** The API's error contains the key and the secret of the request's webhook. */
const echo = fc
  .record({ code: fc.constantFrom(400, 403, 422, 500), form: fc.constantFrom("plain", "JSON", "base64") })
  .map(
    ({ code, form }): Trouble => ({
      label: `${code} that echoes key and secret as ${form}`,
      rules: ({ key, secrets, secretOf }) =>
        secrets.map((secret) => {
          const message = encode(`Bearer ${key} sent ${secret}!`, form);
          return {
            times: Number.POSITIVE_INFINITY,
            match: (call) => call.authorized && secretOf(call) === secret,
            fault: status(code, { body: JSON.stringify({ message, errors: { secret: [message] } }) }),
          };
        }),
    }),
  );

function encode(text: string, form: string): string {
  if (form === "JSON") return JSON.stringify({ text });
  return form === "base64" ? Buffer.from(text).toString("base64") : text;
}

function trouble({ ...rule }: FaultRule): Trouble {
  const { fault, operation = "any call", times = 1, skip = 0, probability = 1, seed = 1 } = rule;
  const when = `${skip > 0 ? `, after ${skip}` : ""}${probability < 1 ? `, with ${probability} by ${seed}` : ""}`;
  return { label: `${operation} ×${times}${when}: ${JSON.stringify(fault)}`, rules: () => [rule] };
}

/** A gateway replies to everything with a 404 in JSON. */
const lostRoute = fc.constant(trouble({ times: Number.POSITIVE_INFINITY, fault: LOST_ROUTE }));

/** The faults during a refresh: without single lies, since the reply to one probe is believed. */
export const refreshTroubles = fc.oneof(
  { weight: 3, arbitrary: fc.array(plain, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.tuple(lostRoute) },
);

/** The faults of the API during one run: a few at once. */
export const troubles = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: plain },
    { weight: 1, arbitrary: unknownWebhook },
    { weight: 1, arbitrary: otherRecord },
    { weight: 1, arbitrary: contradiction },
    { weight: 1, arbitrary: redirect },
    { weight: 1, arbitrary: echo },
  ),
  { minLength: 1, maxLength: 4 },
);
