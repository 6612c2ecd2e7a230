import * as pulumi from "@pulumi/pulumi";

// A dynamic provider as one writes it in an afternoon, with the key from the environment.
interface Inputs {
  url: string;
  name: string;
  enabled: boolean;
}

async function post(path: string, body: object) {
  const reply = await fetch(`${process.env.WEBHOOKS_BASE_URL}${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${process.env.WEBHOOKS_API_KEY}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  if (!reply.ok) {
    throw new Error(`POST ${path} failed: ${reply.status} ${await reply.text()}`);
  }
  return reply.json();
}

class HookProvider implements pulumi.dynamic.ResourceProvider {
  async create(inputs: Inputs): Promise<pulumi.dynamic.CreateResult> {
    const reply = await post("/webhooks", { ...inputs, enabled: String(inputs.enabled) });
    return { id: String(reply.data.webhook.id), outs: inputs };
  }

  async diff(_id: string, olds: Inputs, news: Inputs): Promise<pulumi.dynamic.DiffResult> {
    return { changes: olds.url !== news.url || olds.name !== news.name || olds.enabled !== news.enabled };
  }

  async update(id: string, _olds: Inputs, news: Inputs): Promise<pulumi.dynamic.UpdateResult> {
    await post("/webhooks/update", { webhook_id: id, ...news, enabled: String(news.enabled) });
    return { outs: news };
  }

  async delete(id: string): Promise<void> {
    await post("/webhooks/delete", { webhook_id: id });
  }
}

class Hook extends pulumi.dynamic.Resource {
  constructor(name: string, url: string) {
    super(new HookProvider(), name, { url, name, enabled: true });
  }
}

for (let n = 0; n < Number(process.env.BENCH_COUNT); n++) {
  new Hook(`hook-${n}`, `https://example.com/hooks/${n}`);
}
