import * as pulumi from "@pulumi/pulumi";
import axios from "axios";

// A dynamic provider with a client library, and with the key as a secret of the stack's config, which it captures.
const config = new pulumi.Config("webhooks");
const baseUrl = config.require("baseUrl");
const apiKey = config.requireSecret("apiKey");

interface Inputs {
  url: string;
  name: string;
  enabled: boolean;
}

class HookProvider implements pulumi.dynamic.ResourceProvider {
  async create(inputs: Inputs): Promise<pulumi.dynamic.CreateResult> {
    const { data } = await this.post("/webhooks", { ...inputs, enabled: String(inputs.enabled) });
    return { id: String(data.data.webhook.id), outs: inputs };
  }

  async update(id: string, _olds: Inputs, news: Inputs): Promise<pulumi.dynamic.UpdateResult> {
    await this.post("/webhooks/update", { webhook_id: id, ...news, enabled: String(news.enabled) });
    return { outs: news };
  }

  async delete(id: string): Promise<void> {
    await this.post("/webhooks/delete", { webhook_id: id });
  }

  private post(path: string, body: object) {
    const api = axios.create({ baseURL: baseUrl, headers: { Authorization: `Bearer ${apiKey.get()}` } });
    return api.post(path, body);
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
