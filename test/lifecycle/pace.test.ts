import { describe, expect, it } from "vitest";
import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import { WebhookError } from "../../src/errors.js";
import type { RateLimit } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";

const WEBHOOKS = 1000;
const CONNECTIONS = 16;

/** The operation of each run on a webhook: a refresh probes it, an up sends all its fields. */
const RUNS = {
  "a refresh": (provider: WebhookProvider, { id, url, name, enabled, baseUrl }: Webhook) =>
    provider.read(id, { url, name, enabled, baseUrl }),
  "an up": (provider: WebhookProvider, { id, url, name, enabled, baseUrl }: Webhook) =>
    provider.update(id, { url, name, enabled, baseUrl }, { url, name, enabled }),
};

interface Webhook {
  id: string;
  url: string;
  name: string;
  enabled: boolean;
  baseUrl: string;
}

/** Runs 1,000 operations at once, and measures them at the API. */
async function measure(
  run: keyof typeof RUNS,
  { rateLimit, deadlineSeconds }: { rateLimit: RateLimit; deadlineSeconds: number },
) {
  const api = await startSimulator({ behaviour: { rateLimit } });
  try {
    let [inFlight, most] = [0, 0];
    api.inject({
      times: Number.POSITIVE_INFINITY,
      match: () => {
        inFlight++;
        most = Math.max(most, inFlight);
        return true;
      },
      fault: { kind: "latency", milliseconds: 10 },
    });
    api.onCall = () => {
      inFlight--;
    };
    const config: Record<string, string> = {
      "webhooks:apiKey": api.apiKey,
      "webhooks:baseUrl": api.url,
      "webhooks:drift": "probe",
      "webhooks:maxConnections": `${CONNECTIONS}`,
      "webhooks:deadlineSeconds": `${deadlineSeconds}`,
    };
    const provider = new WebhookProvider({
      warn: (line) => expect(line).toContain("The URLs of webhooks were not compared"),
      progress: () => {},
    });
    provider.configure({ config: { get: (key) => config[key], require: (key) => config[key] ?? "" } });
    const webhooks = Array.from({ length: WEBHOOKS }, (_, n) => {
      const fields = { url: "https://example.com", name: `hook-${n}`, enabled: true };
      return { ...fields, id: api.dashboard.create(fields).id, baseUrl: api.url };
    });

    const started = performance.now();
    const ends = await Promise.allSettled(webhooks.map((webhook) => RUNS[run](provider, webhook)));
    const seconds = (performance.now() - started) / 1000;
    const refused = api.calls.filter(({ status }) => status === 429).length;
    return { ends, seconds, most, refused };
  } finally {
    await api.close();
  }
}

describe.each(["a refresh", "an up"] as const)("%s of 1,000 webhooks", (run) => {
  it("stays within maxConnections and the API's rate limit, and succeeds", async () => {
    const rateLimit = { perSecond: 400, burst: 400, headers: false };
    const { ends, most, refused } = await measure(run, { rateLimit, deadlineSeconds: 60 });
    expect(ends.filter(({ status }) => status === "rejected")).toEqual([]);
    // A refresh without drift returns no inputs.
    for (const end of ends) expect(Object(end).value).not.toHaveProperty("inputs");
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(CONNECTIONS);
    // If each request waited for itself, there would be several refusals for each webhook.
    expect(refused).toBeLessThan(WEBHOOKS / 10);
  }, 60_000);

  it("ends at its deadline if the rate limit is too low, and names the webhooks that failed", async () => {
    const rateLimit = { perSecond: 50, burst: 50, headers: false };
    const { ends, seconds, most } = await measure(run, { rateLimit, deadlineSeconds: 2 });
    expect(seconds).toBeLessThan(5);
    expect(most).toBeLessThanOrEqual(CONNECTIONS);
    const failed = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThan(WEBHOOKS);
    for (const error of failed) {
      expect(error).toBeInstanceOf(WebhookError);
      expect(error.message).toMatch(/^(?:Reading|Updating) webhook \d+ \(hook-\d+\) failed: /);
    }
  }, 60_000);
});
