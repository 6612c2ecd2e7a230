// The API as nock sees it: a request that a test does not expect, to the last header, fails.
import nock from "nock";
import { expect, vi } from "vitest";
import { WebhookClient } from "../../src/client/client.js";
import type { Settings } from "../../src/settings/settings.js";
import { VERSION } from "../../src/wording/version.js";
import { KEY, ORDERS, SECRET, SETTINGS } from "./samples.js";

export const CREATE_BODY = { url: ORDERS.url, name: "Orders", secret: SECRET, enabled: "true" };
export const UPDATE_BODY = { webhook_id: "42", url: ORDERS.url, name: "Orders", enabled: "true" };
export const DELETE_BODY = { webhook_id: "42" };

/** The reply to an update, as the API docs show it. */
export const UPDATED = {
  data: {
    webhook: {
      id: 42,
      name: "Orders",
      enabled: "true",
      created_at: "2026-01-01T00:00:00.000000Z",
      updated_at: "2026-02-02T00:00:00.000000Z",
    },
  },
};
/** The `Date` of a reply at that webhook's creation. */
export const CREATED_DATE = "Thu, 01 Jan 2026 00:00:10 GMT";
/** The reply to a delete, as the API docs show it. */
export const DELETED = { data: { message: "Webhook deleted." } };

nock.disableNetConnect();
// Retries wait most of their time.
vi.setConfig({ maxConcurrency: 64 });

let count = 0;

/** An API with a host of its own, so that tests can run side by side, and a client of it. */
export class MockApi implements AsyncDisposable {
  /** The lines that the client reported. */
  readonly waits: string[] = [];
  readonly settings: Settings;
  readonly client: WebhookClient;
  readonly #origin = `https://api${++count}.example.com`;
  readonly #scopes: nock.Scope[] = [];

  constructor({ path = "/v1", ...settings }: Partial<Settings> & { path?: string } = {}) {
    this.settings = { ...SETTINGS, baseUrl: `${this.#origin}${path}`, ...settings };
    this.client = new WebhookClient({ ...this.settings, onWait: (line) => this.waits.push(line) });
  }

  /** Expects one request, with exactly this body, and with the headers that the API requires unless others are given. */
  expectPost(path: string, body: Record<string, string>, headers = {}): nock.Interceptor {
    const scope = nock(this.#origin, {
      reqheaders: {
        authorization: `Bearer ${KEY}`,
        "content-type": "application/json",
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": `pulumi-webhooks/${VERSION}`,
        ...headers,
      },
      badheaders: ["cookie", "idempotency-key"],
    });
    this.#scopes.push(scope);
    return scope.post(path, (sent) => {
      expect(sent).toStrictEqual(body);
      return true;
    });
  }

  expectCreate = () => this.expectPost("/v1/webhooks", CREATE_BODY);
  expectUpdate = () => this.expectPost("/v1/webhooks/update", UPDATE_BODY);
  expectDelete = () => this.expectPost("/v1/webhooks/delete", DELETE_BODY);

  create = () =>
    this.client.create(
      { ...ORDERS, secret: SECRET },
      { action: "Creating webhook Orders", secrets: [SECRET] },
    );
  update = () =>
    this.client.update("42", ORDERS, {
      action: "Updating webhook 42 (Orders)",
      secrets: [SECRET],
      ifGone: "why, and what to do",
    });
  probe = () => this.client.probe("42", { action: "Reading webhook 42 (Orders)", secrets: [SECRET] });
  delete = () => this.client.delete("42", { action: "Deleting webhook 42 (Orders)", secrets: [SECRET] });

  /** Closes the client. @throws if an expected request never came. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    expect(this.#scopes.flatMap((scope) => scope.pendingMocks())).toEqual([]);
  }
}
