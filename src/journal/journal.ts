import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { shortHash } from "./short-hash.js";

/** Which file notes the create of a resource, and what identifies that. */
export interface CreateNote {
  file: string;
  urn: string;
  /** The organization of the stack: several may have stacks of the same name. A plugin does not know it. */
  organization?: string;
}

/** A create, as it is noted when it is sent. It holds no url, no secret and no key. */
export interface SentCreate extends Omit<CreateNote, "file"> {
  /** The explicit Provider of the resource. Undefined for the default one. */
  provider?: string | undefined;
  /** When it was sent, in ISO 8601. */
  sentAt: string;
  /** The hash of the API's URL. */
  account: string;
  /** The hash of the webhook's URL. Undefined if that is a secret. */
  url?: string | undefined;
  /** The digest of the webhook's secret. */
  secret: string;
  /** What its reply says. Undefined if none came. */
  reply?: { id: string; createdAt?: string | undefined };
  /** Whether the engine has the result. If it did not save that, the state has a pending operation. */
  isDelivered?: true;
}

/** An update or a delete, as it is noted when it is sent. */
export interface SentChange {
  operation: "update" | "delete";
  sentAt: string;
}

/** A webhook at the API. */
export interface Subject {
  baseUrl: string;
  /** The explicit Provider that manages it: two of them may be two accounts. Undefined for the default one. */
  provider: string | undefined;
  id: string;
}

/** What is noted of one operation. */
export interface JournalEntry {
  /** Notes that the operation had no effect. What an earlier run noted stays. */
  withdraw(): void;
  /** Notes that the engine gets the result, to record it. */
  settle(): void;
}

/** What is noted of a create. */
export interface CreateEntry extends JournalEntry {
  /** Notes that the request is about to leave. */
  sent(): void;
  /** Notes what the reply says. */
  replied(reply: SentCreate["reply"]): void;
}

/** A file that is open. A reader merges its lines. */
interface OpenFile {
  add(line: object): void;
  close(): void;
}

const NO_ENTRY: CreateEntry = { sent: () => {}, replied: () => {}, withdraw: () => {}, settle: () => {} };

/** The result of an operation leaves this process within this time after the operation has ended. */
export const DELIVERY_MILLISECONDS = 100;

/**
 * What the providers of this machine have sent, and an engine may not have recorded.
 *
 * If a provider's process dies during a create, the engine removes that from the state. And it forgets interrupted updates
 * and deletes when it next saves the state. So each operation is noted before its request leaves, in a small file of its
 * own: no process writes the file of another resource, and nothing is locked or compacted. A run that ends well leaves none.
 */
export class Journal {
  readonly #folder: string | undefined;
  readonly #report: (problem: string) => void;
  readonly #interruption: AbortSignal | undefined;
  /** The files of operations whose results the engine gets. */
  readonly #settled = new Set<string>();
  /** Whether the engine saves the state at the end of a run only. */
  readonly #isSavedLate = Boolean(process.env.PULUMI_SKIP_CHECKPOINTS);
  readonly #folders = new Set<string>();
  #isUsable: boolean;

  /**
   * @param folder the folder for updates and deletes. Default: nothing is noted.
   * @param report called once with the reason if files cannot be written.
   * @param interruption aborts when the engine may not save the results: the next run needs the journal then.
   */
  constructor(folder?: string, report: (problem: string) => void = () => {}, interruption?: AbortSignal) {
    this.#folder = folder;
    this.#report = report;
    this.#interruption = interruption;
    this.#isUsable = folder !== undefined;
  }

  /** Returns the entry of a create. It is not written yet. Without a note, as earlier versions declare webhooks, none is. */
  create(note: CreateNote | undefined, sent: Omit<SentCreate, keyof CreateNote>): CreateEntry {
    if (note === undefined) return NO_ENTRY;
    const { file, ...resource } = note;
    // It stays open: to open and replace it takes many times as long as to add a line.
    let opened: OpenFile | undefined;
    return {
      sent: () => {
        this.#settled.delete(file);
        opened?.close();
        opened = this.#open(file);
        opened.add({ ...resource, ...sent } satisfies SentCreate);
      },
      replied: (reply) => opened?.add({ reply }),
      withdraw: () => {
        opened?.close();
        this.#remove(file);
      },
      settle: () => {
        // The engine saves it after the end of this process: the next run finds out what it has saved.
        if (this.#isSavedLate) return opened?.close();
        this.#settle(file, () => {
          opened?.add({ isDelivered: true });
          opened?.close();
        });
      },
    };
  }

  /** Notes that the engine records what became of the create of an earlier run. */
  forget(note: CreateNote | undefined): void {
    if (note === undefined || !existsSync(note.file)) return;
    this.#settle(note.file, () =>
      this.#try(() => appendFileSync(note.file, `\n${toLine({ isDelivered: true })}`)),
    );
  }

  /** Notes that an update or a delete of a webhook is about to be sent. */
  change(operation: SentChange["operation"], subject: Subject): JournalEntry {
    const file = changeFile(this.#folder ?? "", subject);
    const isOfEarlierRun = existsSync(file);
    this.#settled.delete(file);
    const opened = this.#open(file);
    opened.add({ operation, sentAt: new Date().toISOString() } satisfies SentChange);
    opened.close();
    return {
      withdraw: () => isOfEarlierRun || this.#remove(file),
      settle: () => this.#settle(file, () => this.#remove(file)),
    };
  }

  /** Reports whether an update or a delete of a webhook was sent whose result the state may not show. */
  hasChange(subject: Subject): boolean {
    return this.#folder !== undefined && existsSync(changeFile(this.#folder, subject));
  }

  /** Removes what is settled, at the end of a run that was not interrupted: its engine has saved the results. */
  end(): void {
    if (this.#interruption?.aborted) return;
    for (const file of this.#settled) this.#remove(file);
  }

  #settle(file: string, deliver: () => void): void {
    this.#settled.add(file);
    const onTime = () => {
      if (this.#settled.has(file) && !this.#interruption?.aborted && !this.#isSavedLate) deliver();
    };
    setTimeout(onTime, DELIVERY_MILLISECONDS).unref();
  }

  /** Opens an empty file. If that is impossible, nothing is written. */
  #open(file: string): OpenFile {
    let descriptor = this.#try(() => {
      const folder = dirname(file);
      if (!this.#folders.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#folders.add(folder);
      return openSync(file, "w", 0o600);
    });
    const use = (how: (descriptor: number) => void) => {
      const opened = descriptor;
      if (opened !== undefined) this.#try(() => how(opened));
    };
    return {
      add: (line) => use((opened) => writeSync(opened, toLine(line))),
      close: () => {
        use(closeSync);
        descriptor = undefined;
      },
    };
  }

  #try<Result>(write: () => Result): Result | undefined {
    if (!this.#isUsable) return undefined;
    try {
      return write();
    } catch (error) {
      this.#isUsable = false;
      this.#report(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #remove(file: string): void {
    this.#settled.delete(file);
    if (this.#isUsable) removeFile(file);
  }
}

function toLine(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

/** Returns the file that notes an update or a delete of a webhook. */
export function changeFile(folder: string, { baseUrl, provider, id }: Subject): string {
  return join(folder, `${shortHash(JSON.stringify([baseUrl, provider, id]))}.json`);
}

/** Removes a file, if that is possible. One that stays is noticed by the next run. */
export function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is gone already, or the folder is read-only by now.
  }
}
