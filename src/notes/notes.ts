import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { CreateLine, FileHeader, RunLine, SentCreate } from "./format.js";
import { thisProcess } from "./processes.js";
import { removeFile } from "./remove-notes.js";

/** The result of a create has reached the engine within this time. A run ends later: the engine saves the state before. */
const DELIVERY_MILLISECONDS = 10;

interface Options {
  folder?: string;
  engine?: string | undefined;
  /** Called once with the reason if the file cannot be written. */
  report?: (problem: string) => void;
  /** Aborts when the engine may not save the results: creates may be cut off then. */
  resultsMayBeLost?: AbortSignal;
}

/**
 * The creates that one provider process has sent, in a file of its own; and what the processes of one run must know of each other.
 *
 * The state does not show all creates: if a provider's process dies during one, the engine removes it from the state, and a killed
 * engine, or one whose backend is down, has not saved the id in its reply. So a create is noted before its request leaves, and the
 * note stays until a later state shows what became of it, never by time, nor by the end of its run alone. The file stays open: to open
 * one takes many times as long as to append a line.
 */
export class Notes {
  /** The folder for notes. Empty if nothing is noted. */
  readonly folder: string;
  readonly #options: Options;
  #isUsable: boolean;
  #file: { path: string; descriptor: number } | undefined;
  readonly #run: RunLine = {};
  /** The creates that were sent, and whose results did not go to the engine yet. */
  readonly #underWay = new Set<number>();
  #delivery: NodeJS.Timeout | undefined;
  #count = 0;
  /** The creates that a later run may have to know of. */
  readonly #mayMatter = new Set<number>();

  constructor(options: Options = {}) {
    this.#options = options;
    this.folder = options.folder ?? "";
    this.#isUsable = this.folder !== "";
  }

  /** Shows the other processes of the run that the gate is open: the creates which the state lists from then on are those of this run. */
  noteOpenGate(): void {
    if (!this.#run.isGateOpen) this.#noteRun({ isGateOpen: true });
  }

  #noteRun(line: RunLine): void {
    Object.assign(this.#run, line);
    this.#add(line);
  }

  noteCreate(create: Omit<SentCreate, "sentAt" | "until">, organization?: string) {
    const number = ++this.#count;
    const add = (line: Omit<CreateLine, "create">) => this.#add({ create: number, ...line });
    return {
      /** Before the request leaves. */
      sent: ({ sentAt, until }: Pick<SentCreate, "sentAt" | "until">) => {
        this.#mayMatter.add(number);
        this.#beginCreate(number, organization);
        add({ ...create, sentAt, until });
      },
      /** When the result goes to the engine. @param reply none if the outcome is unknown. */
      ended: (reply?: SentCreate["reply"]) => {
        add({ reply, endedAt: new Date().toISOString() });
        this.#endCreate(number);
      },
      /** If the create certainly had no effect. */
      withdraw: () => {
        this.#mayMatter.delete(number);
        add({ isOver: true });
        this.#endCreate(number);
      },
    };
  }

  #beginCreate(create: number, organization: string | undefined): void {
    clearTimeout(this.#delivery);
    this.#underWay.add(create);
    if (this.#run.isIdle !== false) this.#noteRun({ organization, isIdle: false });
  }

  /** A language host that runs this process as a plugin kills it at the end of a run, so it says soon that no create is under way. */
  #endCreate(create: number): void {
    if (!this.#underWay.delete(create) || this.#underWay.size > 0) return;
    const noteIdle = () => {
      if (!this.#options.resultsMayBeLost?.aborted) this.#noteRun({ isIdle: true });
    };
    this.#delivery = setTimeout(noteIdle, DELIVERY_MILLISECONDS).unref();
  }

  /** Ends with the run: an engine that was not interrupted has seen all results. Whether it could save them, a later run sees. */
  end(): void {
    const isWell = this.#run.isIdle || !this.#options.resultsMayBeLost?.aborted;
    const isNeeded = this.#mayMatter.size > 0;
    if (isWell && isNeeded) this.#add({ hasEnded: true });
    this.#isUsable = false;
    if (this.#file === undefined) return;
    closeSync(this.#file.descriptor);
    if (!isNeeded) removeFile(this.#file.path);
    this.#file = undefined;
  }

  #add(line: CreateLine | RunLine): void {
    if (!this.#isUsable) return;
    try {
      this.#file ??= this.#openFile();
      writeSync(this.#file.descriptor, toLine(line));
    } catch (error) {
      this.#isUsable = false;
      this.#options.report?.(error instanceof Error ? error.message : String(error));
    }
  }

  #openFile() {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, `${process.pid}-${randomBytes(4).toString("hex")}.jsonl`);
    const descriptor = openSync(path, "ax", 0o600);
    const header: FileHeader = { ...thisProcess(), engine: this.#options.engine };
    writeSync(descriptor, toLine(header));
    return { path, descriptor };
  }
}

const toLine = (content: object) => `${JSON.stringify(content)}\n`;
