import { join } from "node:path";
import { vi } from "vitest";
import { runResolve } from "../../../src/cli/resolve.js";
import { notesFolders } from "../../../src/notes/folder.js";
import { readNotes } from "../../../src/notes/read-notes.js";
import type { UnresolvedCreate } from "../../../src/stack/unresolved.js";
import { findUnresolved } from "../../../src/stack/unresolved.js";
import type { Call, Fault } from "./api.js";
import { Api } from "./api.js";
import type { Outcome, RunOptions } from "./engine.js";
import { EngineRun } from "./engine.js";
import { cli, files, HOME, installMachine } from "./machine.js";
import type { State } from "./state.js";
import { PROJECT, STACK, timeOf } from "./state.js";

/** More than any process has: those of earlier runs have ended. */
const DEAD_PID = 2 ** 30;

/** What happened in one run or one command. */
export interface Seen extends Outcome {
  calls: Call[];
}

/** The machine, the API and the backend: brings a state to life, and changes it. */
export class World {
  readonly drift: "off" | "probe";
  readonly #folders: string[];
  readonly #ends: (() => void)[];
  #api!: Api;
  state!: State;

  constructor(drift: "off" | "probe") {
    this.drift = drift;
    vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
    this.#ends = [Api.serve(() => this.#api), installMachine()];
    this.#folders = notesFolders(HOME);
  }

  close(): void {
    for (const end of this.#ends) end();
    vi.useRealTimers();
  }

  /** Makes a state the present. */
  enter(state: State): void {
    this.state = state;
    files.clear();
    files.set(join(HOME, "Pulumi.yaml"), `name: ${PROJECT}\nruntime: nodejs\n`);
    for (const [index, text] of state.notes.entries()) {
      files.set(join(this.#folders[0] ?? "", `${DEAD_PID}-${index}.jsonl`), text);
    }
    this.now();
  }

  /** The creates that the package reports as unresolved. */
  unresolved(): UnresolvedCreate[] {
    const { creates } = readNotes(this.#folders, { stack: STACK, project: PROJECT });
    return findUnresolved(this.state.stack, creates);
  }

  /** Runs the engine. */
  async run(
    kind: "up" | "refresh" | "destroy",
    options: RunOptions = {},
    fault?: Fault,
  ): Promise<Seen> {
    const { state, drift } = this;
    const now = () => this.now();
    const api = this.#startApi(fault);
    const run = new EngineRun({ state, api, folders: this.#folders, drift, now }, options);
    const outcome = await run[kind]();
    return this.#leave(outcome);
  }

  /** Runs the command resolve. */
  async resolve(
    answers: { found?: string[]; none?: string[]; record?: boolean },
    fault?: Fault,
  ): Promise<Seen> {
    this.#startApi(fault);
    Object.assign(cli, { state: this.state, drift: this.drift });
    const lines: string[] = [];
    const { write } = process.stdout;
    process.stdout.write = (text) => lines.push(String(text)) > 0;
    let ok = false;
    try {
      ok = (await runResolve({ stack: STACK, json: true, ...answers })) === 0;
    } catch (error) {
      lines.push(String(error));
    } finally {
      process.stdout.write = write;
    }
    return this.#leave({ ok, lines, changes: 0 });
  }

  #startApi(fault?: Fault): Api {
    const { state } = this;
    const webhooks = new Map(state.webhooks.map((webhook) => [webhook.id, webhook]));
    const newId = () => `wh-${state.nextId++}`;
    this.#api = new Api({ webhooks, newId, now: () => this.now(), fault });
    return this.#api;
  }

  #leave(outcome: Outcome): Seen {
    // That sets the clock back, too.
    vi.clearAllTimers();
    this.now();
    const { state } = this;
    state.webhooks = [...this.#api.webhooks.values()];
    state.notes = [...files]
      .filter(([path]) => path.startsWith(this.#folders[0] ?? ""))
      .map(([, text]) =>
        text.replace(/"pid":\d+/, `"pid":${DEAD_PID}`).replace(/"engine":"[^"]*"/, '"engine":"127.0.0.1:0"'),
      );
    return { ...outcome, calls: this.#api.calls };
  }

  /** Lets a second pass. */
  now(): string {
    const time = timeOf(this.state.clock++);
    vi.setSystemTime(time);
    return time;
  }
}
