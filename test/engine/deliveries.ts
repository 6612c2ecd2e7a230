import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { Simulator } from "../../src/simulator/index.js";

/** Not the API's header: its docs do not show how a delivery is signed. */
const SIGNATURE = "x-test-signature";
const TICK_MILLISECONDS = 10;
const EVENTS_PER_TICK = 10;

/** An endpoint that accepts an event if it was signed with one of the secrets that it accepts. */
export class Receiver implements AsyncDisposable {
  readonly url: string;
  /** The secrets that it accepts now. */
  secrets: readonly string[];
  /** The accepted deliveries: the secret of each, by the number of its event. */
  readonly accepted = new Map<number, string[]>();
  rejected = 0;
  readonly #server: Server;

  private constructor(server: Server, secrets: readonly string[]) {
    const { port } = server.address() as AddressInfo; // The type of a server that listens on a port.
    this.url = `http://127.0.0.1:${port}/events`;
    this.secrets = secrets;
    this.#server = server.on("request", async (request, response) => {
      response.writeHead((await this.#receive(request)) ? 204 : 401).end();
    });
  }

  static async start(secrets: readonly string[]): Promise<Receiver> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Receiver(server, secrets);
  }

  /** Counts the accepted deliveries that were signed with a secret. */
  count(secret: string): number {
    return [...this.accepted.values()].flat().filter((signedWith) => signedWith === secret).length;
  }

  async #receive(request: IncomingMessage): Promise<boolean> {
    const body = await text(request);
    const signature = Buffer.from(String(request.headers[SIGNATURE]), "hex");
    const secret = this.secrets.find((one) => timingSafeEqual(sign(body, one), signature));
    if (secret === undefined) {
      this.rejected++;
      return false;
    }
    const { event } = JSON.parse(body);
    this.accepted.set(event, [...(this.accepted.get(event) ?? []), secret]);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

interface SenderOptions {
  /** How many events wait for their delivery. */
  inFlight: number;
  /** Whether a delete also drops what waits for the webhook. The API docs do not show it. Default: it is delivered. */
  dropsDeleted?: boolean;
}

interface Delivery {
  webhook: string;
  url: string;
  body: string;
  signature: string;
}

/**
 * The platform's deliveries: up to 1,000 events a second, each for every webhook that is enabled when it happens, signed
 * with that webhook's secret. Each event waits behind `inFlight` others before it is delivered, as in a long queue.
 */
export class Sender implements AsyncDisposable {
  /** How many events have happened. */
  events = 0;
  readonly #api: Simulator;
  readonly #options: SenderOptions;
  readonly #queue: Delivery[][] = [];
  readonly #ended: Promise<void>;
  #running = true;

  private constructor(api: Simulator, options: SenderOptions) {
    this.#api = api;
    this.#options = options;
    for (let event = 0; event < options.inFlight; event++) this.#happen();
    this.#ended = this.#run();
  }

  /** Starts with `inFlight` events that have happened already. */
  static start(api: Simulator, options: SenderOptions): Sender {
    return new Sender(api, options);
  }

  /** Delivers what is in flight now. */
  async deliverAll(): Promise<void> {
    await this.#deliver(this.#queue.length);
  }

  /** Delivers what is in flight, and ends. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#ended;
    await this.deliverAll();
  }

  async #run(): Promise<void> {
    while (this.#running) {
      for (let event = 0; event < EVENTS_PER_TICK; event++) this.#happen();
      await this.#deliver(this.#queue.length - this.#options.inFlight);
      await setTimeout(TICK_MILLISECONDS);
    }
  }

  #happen(): void {
    const body = JSON.stringify({ event: this.events++ });
    const enabled = this.#api.webhooks.filter((webhook) => webhook.enabled);
    this.#queue.push(
      enabled.map(({ id: webhook, url, secret = "" }) => {
        return { webhook, url, body, signature: sign(body, secret).toString("hex") };
      }),
    );
  }

  /** Delivers the events that have waited longest. */
  async #deliver(count: number): Promise<void> {
    for (let left = count; left > 0; left -= EVENTS_PER_TICK) {
      const next = this.#queue.splice(0, Math.min(EVENTS_PER_TICK, left)).flat();
      const existing = new Set(this.#api.webhooks.map(({ id }) => id));
      const kept = next.filter(({ webhook }) => !this.#options.dropsDeleted || existing.has(webhook));
      await Promise.all(kept.map(send));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#running = false;
    await this.#ended;
  }
}

async function send({ url, body, signature }: Delivery): Promise<void> {
  const response = await fetch(url, { method: "POST", body, headers: { [SIGNATURE]: signature } });
  await response.arrayBuffer();
}

function sign(body: string, secret: string): Buffer {
  return createHmac("sha256", secret).update(body).digest();
}
