import type { Reply } from "./api.js";
import type { SendResult } from "./attempt.js";
import { isYoung, serverTime } from "./times.js";

interface Replied {
  result: SendResult;
  /** Its body, if that is a JSON object. */
  reply?: Reply | undefined;
}

/** Reports whether the API itself, not some proxy, replied that it has no such webhook. */
export function isGone({ result, reply }: Replied): boolean {
  return reply !== undefined && result.kind === "response" && [404, 410].includes(result.status);
}

/** Reports whether the webhook that an API does not find is so young that it may find it later: its replicas may lag. */
export function mayBeFoundLater(replied: Replied, createdAt: string | undefined): boolean {
  const { result } = replied;
  return isGone(replied) && result.kind === "response" && isYoung(createdAt, serverTime(result.headers));
}
