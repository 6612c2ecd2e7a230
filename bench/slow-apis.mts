// Measures creates that are offered at once to an API that takes seconds for each: without an engine, which offers few at a time.
import { WebhookClient } from "../dist/client/client.js";
import { formatTable } from "../scripts/generated-docs.mts";
import { startApi } from "./api.mts";

interface SlowApi {
  webhooks: number;
  /** How long each create takes. */
  seconds: number;
  /** How many requests a second it accepts, and how many at first. */
  limit?: number;
}

const APIS: SlowApi[] = [
  { webhooks: 64, seconds: 1 },
  { webhooks: 64, seconds: 3 },
  { webhooks: 200, seconds: 1 },
  { webhooks: 100, seconds: 1, limit: 20 },
];
const SETTINGS = {
  allowHttp: true,
  drift: "off",
  ignoreUpdatedAt: false,
  timeoutSeconds: 30,
  deadlineSeconds: 300,
  maxConnections: 64,
  onWait: () => {},
} as const;

async function measure({ webhooks, seconds, limit }: SlowApi): Promise<string[]> {
  const rateLimit = limit && { perSecond: limit, burst: limit, headers: false };
  await using api = await startApi({ seconds, ...(rateLimit && { rateLimit }) });
  const client = new WebhookClient({ ...SETTINGS, apiKey: api.apiKey, baseUrl: api.url });
  const started = performance.now();
  const creates = Array.from({ length: webhooks }, (_, n) => {
    const webhook = { url: `https://example.com/${n}`, name: `webhook ${n}`, enabled: true };
    return client.create(webhook, { action: `Creating webhook ${n}` });
  });
  await Promise.all(creates);
  const took = (performance.now() - started) / 1000;
  await client.close();
  const { refused } = await api.requests();
  const ideal = limit
    ? (webhooks - limit) / limit + seconds
    : Math.ceil(webhooks / SETTINGS.maxConnections) * seconds;
  return [
    `${webhooks}`,
    `${seconds} s`,
    limit ? `${limit} a second` : "none",
    `${took.toFixed(1)} s`,
    `${ideal.toFixed(1)} s`,
    `${(took / ideal).toFixed(1)} ×`,
    (refused / webhooks).toFixed(2),
  ];
}

/** Returns the table of the slow APIs. */
export async function measureSlowApis(): Promise<string> {
  const rows: string[][] = [];
  for (const api of APIS) rows.push(await measure(api));
  const columns = [
    "webhooks",
    "the API takes",
    "rate limit",
    "time",
    "ideal",
    "ratio",
    "refused per webhook",
  ];
  return formatTable(columns, rows);
}
