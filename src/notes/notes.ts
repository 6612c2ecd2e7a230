import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type {
  Created,
  CreateLine,
  CreateReply,
  FileHeader,
  NotedImport,
  NotedWebhook,
  RunLine,
  SentCreate,
} from "./format.js";
import { endCreate, findCreated, readOthers, readStart, removeFile } from "./read-notes.js";

/** What is noted of one create. */
export interface CreateNote {
  /** Notes that the request is about to leave. @param sentAt in ISO 8601. */
  sent(sentAt: string): void;
  /** Notes what the reply says. */
  replied(reply: CreateReply): void;
  /** Notes that the create certainly had no effect. */
  withdraw(): void;
}

interface Options {
  /** The folder for notes. Default: none, and nothing is noted. */
  folder?: string;
  /** The address of the engine that has started this process. */
  engine?: string | undefined;
  /** Called once with the reason if the file cannot be written. */
  report?: (problem: string) => void;
  /** Aborts when the engine may not save the results: the next run needs the notes then. */
  resultsMayBeLost?: AbortSignal;
}

/**
 * The creates that one provider process has sent, in a file of its own; and what the processes of one run must know of each other.
 *
 * The state does not show all creates: if a provider's process dies during one, the engine removes it from the state, and a killed
 * engine has not saved the id in its reply. So a create is noted before its request leaves. To open a file takes many times as
 * long as to append a line, so the file stays open. A run that ends well removes it. Until then no note is settled by time: the
 * engine may save a result seconds after the reply.
 */
export class Notes {
  /** The folder for notes. Empty if nothing is noted. */
  readonly folder: string;
  readonly #options: Options;
  #file: { path: string; descriptor: number } | undefined;
  #isUsable: boolean;
  readonly #said = new Set<string>();
  #hasBegun = false;
  #count = 0;

  constructor(options: Options = {}) {
    this.#options = options;
    this.folder = options.folder ?? "";
    this.#isUsable = this.folder !== "";
  }

  /**
   * Shows the other processes of the run that the gate is open. A process says so before the engine begins its first create: the
   * creates which the state lists from then on are those of this run.
   */
  noteOpenGate(): void {
    this.#addOnce({ isGateOpen: true });
  }

  /** Notes that the process begins its first operation. @param urn that of a resource of its stack. */
  noteFirstOperation(urn: string): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#add({ beganAt: now(), urn });
  }

  /** Notes that the process deletes a webhook, and knows no resource of its stack. */
  noteDelete(deletes: NotedWebhook): void {
    this.#add({ ...(!this.#hasBegun && { beganAt: now() }), deletes });
    this.#hasBegun = true;
  }

  /** Returns what notes a create. */
  noteCreate(create: Omit<SentCreate, "sentAt">): CreateNote {
    const number = ++this.#count;
    const add = (line: Omit<CreateLine, "create">) => this.#add({ create: number, ...line });
    return {
      sent: (sentAt) => add({ ...create, sentAt }),
      replied: (reply) => add({ reply }),
      withdraw: () => add({ isOver: true }),
    };
  }

  /** Notes that the run imports a webhook. @returns the URN of a resource that another process of the run imports or creates it for. */
  noteImport(imported: NotedImport): string | undefined {
    this.#addOnce({ imports: imported });
    return this.importerOf(imported)?.urn ?? this.creatorOf(imported);
  }

  /** Finds the import of a webhook by another process of the run. */
  importerOf({ id, api }: NotedWebhook): NotedImport | undefined {
    return this.#others().imports.find((other) => other.id === id && other.api === api);
  }

  /** Returns the URN of the resource that another process of the run has created a webhook for. */
  creatorOf({ id, api }: NotedWebhook): string | undefined {
    return this.#others().creates.find((other) => other.reply?.id === id && other.api === api)?.urn;
  }

  /** Notes that no process of the run may delete anything more. */
  holdDeletes(): void {
    this.#addOnce({ holdsDeletes: true });
  }

  /** Reports whether another process of the run holds deletes. */
  areDeletesHeldElsewhere(): boolean {
    return this.#others().holdsDeletes;
  }

  /** Forgets the create of a webhook that is gone. */
  forget(created: Created): void {
    for (const create of findCreated(this.folder, created)) endCreate(create);
  }

  /** Ends the file with the run: an engine that was not interrupted has saved all results, or is about to. */
  end(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    this.#isUsable = false;
    closeSync(file.descriptor);
    // Without checkpoints, the engine saves the state after the end of its providers.
    if (!this.#options.resultsMayBeLost?.aborted && !hasNoCheckpoints()) removeFile(file.path);
  }

  #others() {
    const { engine } = this.#options;
    return readOthers(this.folder, engine);
  }

  #addOnce(line: RunLine): void {
    const text = JSON.stringify(line);
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#add(line);
  }

  #add(line: CreateLine | RunLine): void {
    if (!this.#isUsable) return;
    try {
      this.#file ??= this.#open();
      writeSync(this.#file.descriptor, toLine(line));
    } catch (error) {
      this.#isUsable = false;
      this.#options.report?.(error instanceof Error ? error.message : String(error));
    }
  }

  #open(): { path: string; descriptor: number } {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, `${process.pid}-${randomBytes(4).toString("hex")}.jsonl`);
    const descriptor = openSync(path, "ax", 0o600);
    const header: FileHeader = {
      pid: process.pid,
      startedAt: readStart(process.pid),
      engine: this.#options.engine,
      ...(hasNoCheckpoints() && { hasNoCheckpoints: true }),
    };
    writeSync(descriptor, toLine(header));
    return { path, descriptor };
  }
}

const now = () => new Date().toISOString();

/** Reports whether the engine saves the state at the end of the run only. */
const hasNoCheckpoints = () => Boolean(process.env.PULUMI_SKIP_CHECKPOINTS);

function toLine(content: object): string {
  return `${JSON.stringify(content)}\n`;
}
