import { join } from "node:path";
import { vi } from "vitest";
import { runResolve } from "../../../src/commands/resolve/resolve-command.js";
import { PROJECT, STACK } from "./accounts.js";
import { Api, type Call } from "./api.js";
import { EngineRun, type Outcome } from "./engine.js";
import { cli, files, HOME, installMachine, NOTES, random } from "./machine.js";
import { type State, tick } from "./state.js";
import type { ResolveStep, RunStep } from "./steps.js";

/** More than any process has: those of earlier runs have ended. */
const DEAD_PID = 2 ** 30;

/** What `resolve` lists of a create. */
export interface Reported
  extends Partial<Record<"name" | "url" | "sentAt" | "createdId" | "noneFrom", string>> {
  urn: string;
  keep?: { id: string }[];
  /** That of a webhook which the command records as soon as it writes. */
  id?: string;
}

export interface Seen extends Outcome {
  calls: Call[];
}

/** The machine, the API and the backend: brings a state to life, and changes it. */
export class World {
  readonly #ends: (() => void)[];
  #api!: Api;
  readonly #reports = new Map<string, readonly Reported[]>();
  state!: State;

  constructor() {
    vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
    this.#ends = [Api.serve(() => this.#api), installMachine()];
  }

  close(): void {
    for (const end of this.#ends) end();
    vi.useRealTimers();
  }
  enter(state: State): void {
    this.state = state;
    files.clear();
    files.set(join(HOME, "Pulumi.yaml"), `name: ${PROJECT}\nruntime: nodejs\n`);
    for (const [index, text] of state.notes.entries()) {
      files.set(join(NOTES, `${DEAD_PID}-${index}.jsonl`), text);
    }
    random.next = state.nextNonce;
    tick(state);
  }

  /** Returns what a person reads of unresolved creates, and leaves everything as it is. */
  async report(): Promise<readonly Reported[]> {
    const key = JSON.stringify([this.state.stack, [...files.values()]]);
    const known = this.#reports.get(key);
    if (known !== undefined) return known;
    if (this.#reports.size > 50) this.#reports.clear();
    const before = [...files];
    const { lines } = await this.#resolve({});
    files.clear();
    for (const [path, text] of before) files.set(path, text);
    const { unresolved, created = [] } = JSON.parse(lines.join(""));
    this.#reports.set(key, [...unresolved, ...created]);
    return [...unresolved, ...created];
  }
  async run({ kind, options = {}, fault }: RunStep): Promise<Seen> {
    const { state } = this;
    // What an earlier step created is young no more.
    state.clock += 180;
    tick(state);
    this.#api = new Api(state, fault);
    const run = new EngineRun({ state, api: this.#api, options });
    return this.#leave(await run[kind]());
  }
  async resolve(step: ResolveStep): Promise<Seen> {
    this.#api = new Api(this.state);
    return this.#leave(await this.#resolve(step));
  }

  async #resolve({ none, record }: Pick<ResolveStep, "none" | "record">): Promise<Outcome> {
    cli.state = this.state;
    const lines: string[] = [];
    const write = vi
      .spyOn(process.stdout, "write")
      .mockImplementation((text) => lines.push(String(text)) > 0);
    let ok = false;
    try {
      const flags = { stack: STACK, json: true, ...(none && { none }), ...(record && { record }) };
      ok = (await runResolve(flags)) === 0;
    } catch (error) {
      lines.push(String(error));
    } finally {
      write.mockRestore();
    }
    return { ok, lines, changes: 0 };
  }

  #leave(outcome: Outcome): Seen {
    // That sets the clock back, too.
    vi.clearAllTimers();
    tick(this.state);
    this.state.nextNonce = random.next;
    this.state.notes = [...files]
      .filter(([path]) => path.startsWith(NOTES))
      .map(([, text]) =>
        text.replace(/"pid":\d+/, `"pid":${DEAD_PID}`).replace(/"engine":"[^"]*"/, '"engine":"127.0.0.1:0"'),
      );
    return { ...outcome, calls: this.#api.calls };
  }
}
