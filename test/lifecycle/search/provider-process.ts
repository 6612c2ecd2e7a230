import { vi } from "vitest";
import { Notes } from "../../../src/notes/notes.js";
import { readWithWarnings } from "../../../src/pulumi/stack-reading.js";
import type { Surroundings } from "../../../src/pulumi/surroundings.js";
import { sendAs } from "./api.js";
import { FACES, type Face } from "./faces.js";
import { EmulatedProcess, NOTES } from "./machine.js";
import { readStack } from "./program.js";
import type { State } from "./state.js";

interface Given {
  address: string;
  state: State;
  apiKey: string;
  /** Receives every line that a user reads. */
  log: (line: string) => void;
}
export class ProviderProcess {
  #isDead = false;
  readonly #face: Face | Promise<Face>;
  readonly #notes: Notes;
  readonly #process = new EmulatedProcess();
  readonly #resultsMayBeLost = new AbortController();
  #reject: (error: Error) => void = () => {};
  readonly #death = new Promise<never>((_, reject) => {
    this.#reject = reject;
  });
  constructor(name: string, { address, state, apiKey, log }: Given) {
    this.#death.catch(() => {});
    const resultsMayBeLost = this.#resultsMayBeLost.signal;
    this.#notes = new Notes({ folder: NOTES, engine: address, resultsMayBeLost });
    const surroundings: Surroundings = {
      log: { warn: log, progress: log },
      finish: (operation) => operation(),
      cancel: () => {},
      signal: new AbortController().signal,
      notes: this.#notes,
      completeName: async (stack) => stack,
      readStack: async (_, shown) => readWithWarnings(Promise.resolve(readStack(state, address)), shown),
    };
    this.#face = FACES[state.face](surroundings, { name, state, apiKey });
  }
  async call<Result>(urn: string, operation: (face: Face) => Promise<Result>): Promise<Result> {
    if (this.#isDead) throw eof();
    const run = () => sendAs(urn, async () => operation(await this.#face));
    const result = await Promise.race([this.#process.run(run), this.#death]);
    if (this.#isDead) throw eof();
    // The engine has the result: the process notes that no create is under way.
    vi.advanceTimersByTime(10);
    return result;
  }

  /** Ends the process for the engine, and for its notes. Its requests in flight end or hang meanwhile. */
  kill(): void {
    this.#isDead = true;
    this.#resultsMayBeLost.abort();
  }

  die(): void {
    this.#process.end();
    this.#reject(eof());
  }

  /** @param isWell whether the engine has saved all results. */
  end(isWell: boolean): void {
    if (!isWell) this.#resultsMayBeLost.abort();
    this.#notes.end();
    this.#process.end();
  }
}

const eof = () => new Error("error reading from server: EOF");
