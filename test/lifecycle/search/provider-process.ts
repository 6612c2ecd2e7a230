import { WebhookProvider } from "../../../src/dynamic/provider/webhook-provider.js";
import { Notes } from "../../../src/notes/notes.js";
import { sendAs } from "./api.js";
import { EmulatedProcess, NOTES } from "./machine.js";
import { BASE_URL, KEY } from "./state.js";

interface Surroundings {
  /** The address of the engine. */
  address: string;
  drift: string;
  /** Receives every line that a user reads. */
  log: (line: string) => void;
}

/** A process of the dynamic provider. */
export class ProviderProcess {
  isDead = false;
  readonly #provider: WebhookProvider;
  readonly #notes: Notes;
  readonly #process = new EmulatedProcess();
  readonly #interruption = new AbortController();
  #reject: (error: Error) => void = () => {};
  readonly #death = new Promise<never>((_, reject) => {
    this.#reject = reject;
  });

  /** @param name that of its explicit Provider. */
  constructor(name: string | undefined, { address, drift, log }: Surroundings) {
    this.#death.catch(() => {});
    this.#notes = new Notes({ folder: NOTES, engine: address, interruption: this.#interruption.signal });
    this.#provider = new WebhookProvider({ log: { warn: log, progress: log }, notes: this.#notes });
    const config: Record<string, string | undefined> = {
      "webhooks:explicitProvider": name,
      "webhooks:apiKey": KEY,
      "webhooks:baseUrl": BASE_URL,
      "webhooks:drift": drift,
      // Less than the first pause before a retry: nothing is sent twice.
      "webhooks:deadlineSeconds": "0.1",
    };
    const get = (key: string) => config[key];
    void this.#provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
  }

  /** Runs an operation of a resource. */
  async call<Result>(
    urn: string,
    operation: (provider: WebhookProvider) => Promise<Result>,
  ): Promise<Result> {
    if (this.isDead) throw eof();
    const run = () => sendAs(urn, () => operation(this.#provider));
    const result = await Promise.race([this.#process.run(run), this.#death]);
    if (this.isDead) throw eof();
    return result;
  }

  die(): void {
    this.#process.end();
    this.#interruption.abort();
    this.#reject(eof());
  }

  /** @param isWell whether the engine has saved all results. */
  end(isWell: boolean): void {
    if (!isWell || this.isDead) this.#interruption.abort();
    this.#notes.end();
    this.#process.end();
  }
}

const eof = () => new Error("error reading from server: EOF");
