import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { runResolve } from "../../../src/cli/resolve.js";
import { readNotes } from "../../../src/notes/noted-creates.js";
import { notesFolder } from "../../../src/notes/place.js";
import type { UnresolvedCreate } from "../../../src/stack/unresolved.js";
import { findUnresolved } from "../../../src/stack/unresolved.js";
import type { Call, Fault } from "./api.js";
import { Api } from "./api.js";
import type { Outcome, RunOptions } from "./engine.js";
import { EngineRun } from "./engine.js";
import { cli, installPulumi } from "./pulumi.js";
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
  readonly folder = mkdtempSync(
    join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "pulumi-webhooks-search-"),
  );
  readonly drift: "off" | "probe";
  readonly #notesFolder: string;
  readonly #ends: (() => void)[];
  readonly #cwd = process.cwd();
  #api!: Api;
  state!: State;

  constructor(drift: "off" | "probe") {
    this.drift = drift;
    vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
    vi.stubEnv("PULUMI_HOME", this.folder);
    vi.stubEnv("PULUMI_BACKEND_URL", "file:///backend");
    vi.stubEnv("TMPDIR", this.folder);
    writeFileSync(join(this.folder, "Pulumi.yaml"), `name: ${PROJECT}\nruntime: nodejs\n`);
    process.chdir(this.folder);
    this.#notesFolder = notesFolder(process.cwd());
    mkdirSync(this.#notesFolder, { recursive: true });
    this.#ends = [Api.serve(() => this.#api), installPulumi()];
  }

  close(): void {
    for (const end of this.#ends) end();
    process.chdir(this.#cwd);
    vi.useRealTimers();
    vi.unstubAllEnvs();
    rmSync(this.folder, { recursive: true });
  }

  /** Makes a state the present. */
  enter(state: State): void {
    this.state = state;
    this.#clearNotes();
    for (const [index, text] of state.notes.entries()) {
      writeFileSync(join(this.#notesFolder, `${DEAD_PID}-${index}.jsonl`), text);
    }
    this.now();
  }

  /** The creates that the package reports as unresolved. */
  unresolved(): UnresolvedCreate[] {
    const { creates } = readNotes(this.#notesFolder, { stack: STACK, project: PROJECT });
    return findUnresolved(structuredClone(this.state.stack), creates);
  }

  /** Runs the engine. */
  async run(
    kind: "up" | "preview" | "refresh" | "destroy",
    options: RunOptions = {},
    fault?: Fault,
  ): Promise<Seen> {
    const { state, drift } = this;
    const now = () => this.now();
    const webhooks = new Map(state.webhooks.map((webhook) => [webhook.id, webhook]));
    this.#api = new Api(webhooks, () => `wh-${state.nextId++}`, now);
    this.#api.fault = fault;
    const run = new EngineRun({ state, api: this.#api, notesFolder: this.#notesFolder, drift, now }, options);
    const outcome = await run[kind]();
    return this.#leave(outcome);
  }

  /** Runs the command resolve. */
  async resolve(options: {
    found?: string[];
    none?: string[];
    record?: boolean;
    accept?: boolean;
  }): Promise<Seen & { report: Report }> {
    const { state } = this;
    const webhooks = new Map(state.webhooks.map((webhook) => [webhook.id, webhook]));
    this.#api = new Api(
      webhooks,
      () => "",
      () => this.now(),
    );
    Object.assign(cli, { state, drift: this.drift });
    const lines: string[] = [];
    const { write } = process.stdout;
    process.stdout.write = (text) => lines.push(String(text)) > 0;
    let code = -1;
    try {
      code = await runResolve({ stack: STACK, json: true, ...options });
    } catch (error) {
      lines.push(String(error));
    } finally {
      process.stdout.write = write;
    }
    rmSync(join(this.folder, "webhooks", "backups"), { recursive: true, force: true });
    const ok = code === 0;
    return {
      ...this.#leave({ ok, lines, changes: 0 }),
      report: code === -1 ? { unresolved: [], unconfirmed: [] } : JSON.parse(lines.join("")),
    };
  }

  #leave(outcome: Outcome): Seen {
    // That sets the clock back, too.
    vi.clearAllTimers();
    this.now();
    const { state } = this;
    state.webhooks = [...this.#api.webhooks.values()];
    state.notes = this.#readNotes();
    return { ...outcome, calls: this.#api.calls };
  }

  /** Goes to another machine, which has none of the notes. */
  forgetNotes(): void {
    this.state.notes = [];
    this.#clearNotes();
  }

  /** Lets a second pass. */
  now(): string {
    const time = timeOf(this.state.clock++);
    vi.setSystemTime(time);
    return time;
  }

  #clearNotes(): void {
    for (const name of readdirSync(this.#notesFolder)) rmSync(join(this.#notesFolder, name));
  }

  #readNotes(): string[] {
    const names = readdirSync(this.#notesFolder).sort();
    return names
      .map((name) => readFileSync(join(this.#notesFolder, name), "utf8"))
      .map((text) =>
        text.replace(/"pid":\d+/, `"pid":${DEAD_PID}`).replace(/"engine":"[^"]*"/, '"engine":"127.0.0.1:0"'),
      );
  }
}

interface Asked {
  urn: string;
  id?: string;
  createdId?: string;
}

/** What resolve prints as JSON, as far as the search reads it. */
export interface Report {
  unresolved: Asked[];
  unconfirmed: Asked[];
}
