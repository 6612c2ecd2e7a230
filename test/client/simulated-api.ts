import { type Simulator, startSimulator } from "../../simulator/src/index.js";
import { type ClientOptions, WebhookClient } from "../../src/client/client.js";
import { KEY, ORDERS, SECRET, SETTINGS } from "./samples.js";

/** A simulator, and clients of it. */
export class SimulatedApi implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly #clients: WebhookClient[] = [];

  private constructor(simulator: Simulator) {
    this.simulator = simulator;
  }

  static async start(): Promise<SimulatedApi> {
    return new SimulatedApi(await startSimulator({ apiKey: KEY }));
  }

  clientWith(settings: Partial<ClientOptions> = {}): WebhookClient {
    const client = new WebhookClient({
      ...SETTINGS,
      baseUrl: this.simulator.url,
      onWait: () => {},
      ...settings,
    });
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.simulator.close();
  }
}

/** Creates a webhook with this name. */
export const create = (client: WebhookClient, name = "Orders") =>
  client.create(
    { ...ORDERS, name, secret: SECRET },
    { action: `Creating webhook ${name}`, secrets: [SECRET] },
  );

/** Updates webhook 1. */
export const update = (client: WebhookClient) =>
  client.update("1", ORDERS, { action: "Updating webhook 1 (Orders)", secrets: [SECRET] });
