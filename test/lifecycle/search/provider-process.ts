import { WebhookProvider } from "../../../src/dynamic/webhook-provider.js";
import { Notes } from "../../../src/notes/notes.js";
import { sendAs } from "./api.js";
import { EmulatedProcess } from "./machine.js";
import { BASE_URL, KEY, nameOf, providerOf } from "./state.js";

interface Surroundings {
  /** The address of the engine. */
  address: string;
  drift: string;
  folder: string;
  /** Receives every line that a user reads. */
  log: (line: string) => void;
}

/** The processes of the dynamic provider in one run, by the Providers of the webhooks. Each starts with its first operation. */
export class ProviderProcesses {
  readonly #given: Surroundings;
  readonly #processes = new Map<string | undefined, ProviderProcess>();

  constructor(given: Surroundings) {
    this.#given = given;
  }

  /** Returns the process of the Provider of a webhook. */
  of(urn: string): ProviderProcess {
    const name = providerOf(nameOf(urn));
    const process = this.#processes.get(name) ?? new ProviderProcess(name, this.#given);
    this.#processes.set(name, process);
    return process;
  }

  /** @param isWell whether the engine has saved all results. */
  end(isWell: boolean): void {
    for (const process of this.#processes.values()) process.end(isWell);
  }
}

/** A process of the dynamic provider. */
class ProviderProcess {
  isDead = false;
  readonly #provider: WebhookProvider;
  readonly #notes: Notes;
  readonly #process = new EmulatedProcess();
  readonly #interruption = new AbortController();
  #reject: (error: Error) => void = () => {};
  readonly #death = new Promise<never>((_, reject) => {
    this.#reject = reject;
  });

  constructor(name: string | undefined, { address, drift, folder, log }: Surroundings) {
    this.#death.catch(() => {});
    this.#notes = new Notes({ folder, engine: address, interruption: this.#interruption.signal });
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

  end(isWell: boolean): void {
    if (!isWell || this.isDead) this.#interruption.abort();
    this.#notes.end();
    this.#process.end();
  }
}

const eof = () => new Error("error reading from server: EOF");
