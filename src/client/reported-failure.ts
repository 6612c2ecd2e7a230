import type { Reply } from "./api.js";
import { isObject } from "./api.js";

/**
 * Reports whether a reply says that the request failed, as some APIs and gateways do with status 200: by a clear signal at
 * its top or one level down, in `data`.
 *
 * @param webhook the webhook in the reply, if there is one: its own status may be the webhook's.
 */
export function reportsFailure(reply: Reply, webhook?: Reply): boolean {
  return [reply, reply.data].filter(isObject).some((object) =>
    Object.entries(object).some(([writtenKey, value]) => {
      const key = foldKey(writtenKey);
      return FAILURES.get(key)?.(value) || (object !== webhook && STATUSES.get(key)?.(value));
    }),
  );
}

/** Folds the ways to write a key: `statusCode`, `status_code`, `StatusCode`. */
export const foldKey = (key: string) => key.toLowerCase().replace(/[_-]/g, "");

/** Reports whether a value says no. The API writes booleans as strings, and others write them as numbers. */
export const saysNo = (value: unknown) => /^(?:false|0|no)$/i.test(wordOf(value));

/** Reports whether a status says that something failed, as a word or as the number of an HTTP error. */
const isFailedStatus = (status: unknown) => FAILED_STATUS.test(wordOf(status));

const FAILED_STATUS =
  /^(?:false|[45]\d\d|(?:.+[ _-])?(?:err(?:or)?|fail(?:ed|ure)?|denied|refused|rejected|forbidden|unauthorized|invalid|not[ _-]?found))$/i;

/** Reports whether there is an error: `null`, `[]`, `0` and `"none"` are none. */
function isFilled(value: unknown): boolean {
  if (typeof value === "object") return value !== null && Object.keys(value).length > 0;
  return !/^(?:false|0|no|none|null|)$/i.test(wordOf(value));
}

const wordOf = (value: unknown) => (typeof value === "object" ? "" : String(value ?? "").trim());

type Signals = ReadonlyMap<string, (value: unknown) => boolean>;

const FAILURES: Signals = new Map([
  ...["success", "successful", "succeeded", "ok"].map((key) => [key, saysNo] as const),
  ...["error", "errors", "errorcode", "errormessage"].map((key) => [key, isFilled] as const),
]);

const STATUSES: Signals = new Map(
  ["status", "statuscode", "httpstatus", "httpcode", "code", "result"].map((key) => [key, isFailedStatus]),
);
