import { hasFailedAs, type WebhookError } from "../wording/errors.js";

/** A result; or, if there is no such webhook, whether another one of this process proves that the URL and the key are right. */
type Weighed<Value> =
  | { found: Value; isKeyProven?: undefined; error?: undefined }
  | { found?: undefined; isKeyProven: boolean; error: WebhookError };

/**
 * Weighs the replies of one provider process that a webhook does not exist: to probes, and to deletes.
 *
 * A gateway that has lost its route replies the same for every webhook, and so does the API for a key of another account.
 * If such replies were believed, the next up would create all webhooks a second time. The engine may read webhooks side by
 * side or one after another, so a reply waits for the requests that are under way, and for no others.
 *
 * If the API moved, only a webhook that is recorded at the same URL proves anything about another one.
 */
export class GoneEvidence {
  /** The URLs at which webhooks are recorded that the API knows. */
  readonly #found = new Set<string | undefined>();
  #requests = 0;
  #waiting: (() => void)[] = [];
  readonly #labels = new Set<string>();

  /** The labels of all missing webhooks. */
  get labels(): readonly string[] {
    return [...this.#labels];
  }

  /** Notes that the API knows a webhook that is recorded at a URL. */
  found(baseUrl: string | undefined): void {
    this.#found.add(baseUrl);
  }

  /**
   * Awaits the probe or the delete of a webhook.
   *
   * @param webhook its label in messages, and the URL at which it is recorded.
   * @param isProof reports whether the result shows that this is the recorded webhook. Default: any does.
   */
  async weigh<Value>(
    { label, baseUrl }: { label: string; baseUrl: string | undefined },
    request: Promise<Value>,
    isProof: (value: Value) => boolean = () => true,
  ): Promise<Weighed<Value>> {
    this.#requests++;
    let missing: WebhookError;
    try {
      const value = await request;
      if (isProof(value)) this.found(baseUrl);
      return { found: value };
    } catch (error) {
      if (!hasFailedAs("gone", error)) throw error;
      this.#labels.add(label);
      missing = error;
    } finally {
      this.#requests--;
      for (const resume of this.#waiting.splice(0)) resume();
    }
    while (!this.#found.has(baseUrl) && this.#requests > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return { isKeyProven: this.#found.has(baseUrl), error: missing };
  }
}
