import { randomBytes } from "node:crypto";
import { appendFileSync, closeSync, mkdirSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Where the create of a resource is noted. */
export interface NotePlace {
  /** The folder of the stack's backend. */
  folder: string;
  urn: string;
  /** The organization of the stack: several may have stacks of the same name. A plugin does not know it. */
  organization?: string;
}

/** A create, as it is noted when it is sent. It holds no url, no secret and no key. */
export interface SentCreate {
  /** The explicit Provider of the resource. Undefined for the default one. */
  provider?: string | undefined;
  /** When it was sent, in ISO 8601. */
  sentAt: string;
  /** The hash of the API's URL. */
  api: string;
}

/** What the reply to a create says. */
export interface CreateReply {
  id: string;
  createdAt?: string | undefined;
}

/** The first line of a file of notes. */
export interface FileHeader {
  /** The process that writes it. */
  pid: number;
  /** The address of the engine that has started the process. */
  engine: string | undefined;
  /** Whether the process has read the state, and found no create with an unknown outcome. */
  isGateOpen: boolean;
}

/** A line about one create. Those with the same number add up. */
export type CreateLine = { create: number } & Partial<SentCreate> &
  Partial<Omit<NotePlace, "folder">> & {
    reply?: CreateReply;
    /** Whether the create certainly had no effect, or the engine has its result. */
    isOver?: true;
  };

/** A line about the run. */
export interface RunLine {
  /** Whether the run may delete nothing more: a webhook of it may have no replacement. */
  holdsDeletes?: true;
  /** When it ended, in ISO 8601, if its engine was about to save all results then. */
  endedAt?: string;
}

/** What is noted of one create. */
export interface CreateNote {
  /** Notes that the request is about to leave. */
  sent(): void;
  /** Notes what the reply says. */
  replied(reply: CreateReply): void;
  /** Notes that the create certainly had no effect. */
  withdraw(): void;
  /** Notes that the engine gets the result, to record it. */
  settle(): void;
}

const NO_NOTE: CreateNote = { sent: () => {}, replied: () => {}, withdraw: () => {}, settle: () => {} };

/** The result of an operation leaves this process within this time after the operation has ended. */
export const DELIVERY_MILLISECONDS = 100;

interface Options {
  /** Reports whether another process of the run holds deletes. Default: none does. */
  areDeletesHeldElsewhere?: () => boolean;
  /** The address of the engine that has started this process. */
  engine?: string | undefined;
  /** Called once with the reason if the file cannot be written. */
  report?: (problem: string) => void;
  /** Aborts when the engine may not save the results: the next run needs the notes then. */
  interruption?: AbortSignal;
}

/**
 * The creates that one provider process has sent, in a file of its own on this machine.
 *
 * The state does not show all of them: if a provider's process dies during a create, the engine removes that from the state,
 * and a killed engine has not saved the id in its reply. So a create is noted before its request leaves. To open a file
 * takes many times as long as to append a line, so the file stays open. A run that ends well removes it.
 */
export class Notes {
  readonly #options: Options;
  /** Whether the engine saves the state at the end of a run only. */
  readonly #isSavedLate = Boolean(process.env.PULUMI_SKIP_CHECKPOINTS);
  #file: { path: string; descriptor: number } | undefined;
  #isUsable = true;
  #holdsDeletes = false;
  #count = 0;

  constructor(options: Options = {}) {
    this.#options = options;
  }

  /**
   * Starts the file, if that has not happened. A process does that before the engine begins its first create: the file shows the
   * other processes of the run that the creates which the state lists from then on are those of this run.
   */
  open(folder: string, isGateOpen: boolean): void {
    if (this.#file !== undefined) return;
    this.#try(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${process.pid}-${randomBytes(4).toString("hex")}.jsonl`);
      this.#file = { path, descriptor: openSync(path, "ax", 0o600) };
      this.#add({ pid: process.pid, engine: this.#options.engine, isGateOpen } satisfies FileHeader);
    });
  }

  /** Returns what notes a create. Without a place, as earlier versions declare webhooks, nothing is noted. */
  create(place: NotePlace | undefined, sent: SentCreate): CreateNote {
    if (place === undefined) return NO_NOTE;
    const { folder, ...resource } = place;
    const create = ++this.#count;
    const add = (line: Omit<CreateLine, "create">) => this.#try(() => this.#add({ create, ...line }));
    return {
      sent: () => {
        this.open(folder, false);
        add({ ...resource, ...sent });
      },
      replied: (reply) => add({ reply }),
      withdraw: () => add({ isOver: true }),
      settle: () => {
        // The engine saves it after the end of this process: the next run finds out whether it has.
        if (this.#isSavedLate) return;
        const deliver = () => {
          if (!this.#options.interruption?.aborted) add({ isOver: true });
        };
        setTimeout(deliver, DELIVERY_MILLISECONDS).unref();
      },
    };
  }

  /** Notes that no process of the run may delete anything more. */
  holdDeletes(folder: string): void {
    if (this.#holdsDeletes) return;
    this.#holdsDeletes = true;
    this.open(folder, false);
    this.#try(() => this.#add({ holdsDeletes: true } satisfies RunLine));
  }

  /** Reports whether another process of the run holds deletes. */
  areDeletesHeldElsewhere(): boolean {
    return this.#options.areDeletesHeldElsewhere?.() ?? false;
  }

  /** Ends the file with the run: an engine that was not interrupted has saved all results, or is about to. */
  end(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    closeSync(file.descriptor);
    if (this.#options.interruption?.aborted) return;
    if (this.#isSavedLate) addLine(file.path, { endedAt: new Date().toISOString() } satisfies RunLine);
    else removeFile(file.path);
  }

  #add(line: object): void {
    if (this.#file !== undefined) writeSync(this.#file.descriptor, toLine(line));
  }

  #try(write: () => void): void {
    if (!this.#isUsable) return;
    try {
      write();
    } catch (error) {
      this.#isUsable = false;
      this.#options.report?.(error instanceof Error ? error.message : String(error));
    }
  }
}

function toLine(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

/** Adds a line to a file of a process that has ended, if that is possible: a process that was killed may have left half of one. */
export function addLine(file: string, content: object): void {
  try {
    appendFileSync(file, `\n${toLine(content)}`);
  } catch {
    // The folder is read-only by now.
  }
}

/** Removes a file, if that is possible. One that stays is noticed by the next run. */
export function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is gone already, or the folder is read-only by now.
  }
}
