import { isSameKey, SEEN_BY } from "../record/seen-by.js";
import { shownUrn } from "../record/urn.js";
import { hasFailedAs } from "../wording/errors.js";
import type { State } from "./state.js";

/**
 * What proves that an API key would find a webhook, if it existed:
 * - `"proven"`: it has found another one, and would see this one, too.
 * - `"unseen"`: another key saw this one last, and this key has found no other webhook of that key.
 * - `"unproven"`: it has found no other webhook.
 */
export type Sight = "proven" | "unseen" | "unproven";

/** Where a record says that its webhook is, and which API key saw it last. An imported webhook has no such record yet. */
type LastSeen = Pick<State, "baseUrl" | typeof SEEN_BY>;

/** A result; or, if there is no such webhook, whether anything proves that the key would have found it. */
type Weighed<Value> = { found: Value; sight?: undefined } | { found?: undefined; sight: Sight };

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
  /** The marks of the keys that saw the found webhooks before this one, by the URL at which they are recorded. */
  readonly #found = new Map<string, Set<string | undefined>>();
  #requests = 0;
  #looked = 0;
  #waiting: (() => void)[] = [];

  /** Whether only one webhook was looked for, so that nothing could prove anything. */
  get isOfOne(): boolean {
    return this.#looked === 1;
  }

  /** Judges whether an API key would find a webhook. Records of earlier versions do not say which key saw it. */
  #sightOf(key: string, { baseUrl, [SEEN_BY]: seenBy }: LastSeen): Sight {
    const found = [...(this.#found.get(baseUrl) ?? [])];
    if (
      !isSameKey(seenBy, key) &&
      !found.some((earlier) => earlier !== undefined && isSameKey(earlier, seenBy))
    )
      return "unseen";
    return found.length === 0 ? "unproven" : "proven";
  }

  /** Awaits the probe of a webhook. `isSame`: whether its result proves that this is the recorded webhook. */
  async weigh<Value extends { isSame: boolean }>(
    { seenBy, seen }: { seenBy: string; seen: LastSeen },
    request: Promise<Value>,
  ): Promise<Weighed<Value>> {
    this.#requests++;
    this.#looked++;
    try {
      const found = await request;
      const { baseUrl, [SEEN_BY]: earlier } = seen;
      if (found.isSame) this.#found.set(baseUrl, (this.#found.get(baseUrl) ?? new Set()).add(earlier));
      return { found };
    } catch (error) {
      if (!hasFailedAs("gone", error)) throw error;
    } finally {
      this.#requests--;
      for (const resume of this.#waiting.splice(0)) resume();
    }
    while (this.#sightOf(seenBy, seen) !== "proven" && this.#requests > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return { sight: this.#sightOf(seenBy, seen) };
  }
}

/** Says what to do about a webhook that another API key saw last. */
export const OTHER_KEY =
  "another API key saw it last, and this one may not see it. Set the key that manages it.";

/** Says what to do about a missing webhook that another API key saw last. */
export const setOtherKey = (urn?: string) =>
  `${OTHER_KEY} If the dashboard of that account does not show it, run pulumi state delete ${shownUrn(urn)}`;

/** Says how to create a webhook again. It works whether or not the webhook still exists. An import is refused. */
export const createAgain = (urn?: string) =>
  `If the dashboard does not show it, run pulumi up --refresh=false --replace ${shownUrn(urn)}`;
