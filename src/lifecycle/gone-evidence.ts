import { isYoung } from "../client/times.js";
import type { Known } from "../record/past.js";
import { isSameKey } from "../record/seen-by.js";
import { shownUrn } from "../record/urn.js";
import { failed, hasFailedAs } from "../wording/errors.js";

/**
 * Weighs the replies of one provider process that a webhook does not exist.
 *
 * A gateway that has lost its route replies the same for every webhook, and so does the API for a key of another account.
 * If such replies were believed, the next up would create all webhooks a second time. The engine may read webhooks side by
 * side or one after another, so a reply waits for the requests that are under way, and for no others.
 *
 * A key may also see some webhooks of the account only. If another key saw the missing webhook last, this one must have found another
 * webhook that the same earlier key saw last: so keys that live for minutes prove something, too. If the API moved, only a webhook that
 * is recorded at the same URL proves anything about another one.
 */
export class GoneEvidence {
  /** The records of the found webhooks: where each was, and which key saw it before this one. */
  readonly #found: Known[] = [];
  /** How many webhooks this process has looked for. Nothing could prove anything about a single one. */
  lookedFor = 0;
  #underWay = 0;
  #waiting: (() => void)[] = [];

  /** Reports whether an API key would find a webhook. Records of earlier versions do not say which key saw it. */
  #isProven(own: string, { baseUrl, seenBy }: Known): boolean {
    const found = this.#found.filter((one) => one.baseUrl === baseUrl);
    const isOfKey = (one: Known) => one.seenBy !== undefined && isSameKey(one.seenBy, seenBy);
    return isSameKey(seenBy, own) ? found.length > 0 : found.some(isOfKey);
  }

  /**
   * Awaits the probe of a webhook. `isSame`: whether its result proves that this is the recorded webhook.
   *
   * @param own the mark of the key of this process.
   * @returns the result; or, if there is no such webhook, whether another one proves that the key would have found it.
   */
  async weigh<Value extends { isSame: boolean }>(
    own: string,
    past: Known,
    request: Promise<Value>,
  ): Promise<{ found: Value } | { found?: undefined; isProven: boolean }> {
    this.lookedFor++;
    this.#underWay++;
    try {
      const found = await request;
      if (found.isSame) this.#found.push(past);
      return { found };
    } catch (error) {
      if (!hasFailedAs("gone", error)) throw error;
    } finally {
      this.#underWay--;
      for (const resume of this.#waiting.splice(0)) resume();
    }
    while (!this.#isProven(own, past) && this.#underWay > 0)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { isProven: this.#isProven(own, past) };
  }
}

/** Says how to create a webhook again. It works whether or not the webhook still exists. An import is refused. */
export const createAgain = (urn?: string) =>
  `If the dashboard does not show it, run pulumi up --refresh=false --replace ${shownUrn(urn)}`;

/** Reports whether an API does not find a webhook that is so young that it may find it later: its replicas may lag. */
export function isMissingYoung({ createdAbout, createdAt = createdAbout }: Known, error: unknown): boolean {
  return hasFailedAs("gone", error) && isYoung(createdAt, error.reply?.at);
}

/** Returns the error of an operation, which explains itself if the API does not find a young webhook. */
export function explainYoung(action: string, past: Known, error: unknown): unknown {
  const detail =
    "the API does not find it. It is less than two minutes old, and the API may find it later. Run the command again.";
  return isMissingYoung(past, error) ? failed(action, detail) : error;
}
