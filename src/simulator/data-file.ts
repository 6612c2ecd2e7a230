import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { HttpError } from "./http-error.js";
import { parseJson } from "./parse-json.js";

const DIGITS = z.string().regex(/^(0|[1-9]\d*)$/, "expected decimal digits in quotes");
const TIME = z.iso.datetime({ precision: 6, error: "expected a time like 2026-01-31T12:00:00.000000Z" });
const WEBHOOK = z.strictObject({
  id: DIGITS,
  url: z.string(),
  name: z.string(),
  secret: z.string().exactOptional(),
  enabled: z.boolean(),
  createdAt: TIME,
  updatedAt: TIME,
});
// Strict: the next write would lose unknown fields.
const CONTENT = z.strictObject({
  /** The lowest id that the next webhook may have. Ids of deleted webhooks are never used again. */
  nextId: DIGITS.default("0").transform(BigInt),
  webhooks: z
    .array(WEBHOOK)
    .refine((webhooks) => new Set(webhooks.map(({ id }) => id)).size === webhooks.length, "duplicate id"),
});

/** The part of the state that a data file keeps. */
type SavedState = z.infer<typeof CONTENT>;

/** The file that keeps the webhooks of one simulator from one run to the next. */
export class DataFile {
  readonly #path: string;
  /** The file's expected content; undefined if there is no file. */
  #text: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Loads the file. Creates a missing one at once, to fail early if it cannot be written. */
  load(): SavedState {
    this.#text = this.#read();
    const content = this.#text === undefined ? { webhooks: [] } : parseJson(Buffer.from(this.#text));
    const { data, error } = CONTENT.safeParse(content);
    if (data && this.#text === undefined) this.save(data);
    if (data) return data;
    const { path = [], message } = error.issues[0] ?? {};
    // Not the parser's own message: it quotes the text, which may contain a secret.
    const problem =
      content === undefined ? "it is not JSON" : [path.join("."), message].filter(Boolean).join(": ");
    throw this.#error(
      `is not a data file of the simulator: ${problem}. It was not changed. Correct it, or use another file.`,
    );
  }

  /** Writes a new file and renames it, so that the file is always complete. Only its owner may read it: it holds secrets. */
  save({ webhooks, nextId }: SavedState): void {
    // Two simulators would undo each other's changes, and an edit by hand would be lost.
    if (this.#read() !== this.#text) {
      throw this.#error(
        "was changed by something else, and the simulator did not overwrite it. " +
          "Only one simulator may use a file. Restart the simulator to load the file as it is now.",
      );
    }
    const text = `${JSON.stringify({ nextId: `${nextId}`, webhooks }, undefined, 2)}\n`;
    const temporary = `${this.#path}.${randomBytes(4).toString("hex")}.tmp`;
    try {
      writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
      renameSync(temporary, this.#path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw this.#error("cannot be written", error);
    }
    this.#text = text;
  }

  #read(): string | undefined {
    try {
      return existsSync(this.#path) ? readFileSync(this.#path, "utf8") : undefined;
    } catch (error) {
      throw this.#error("cannot be read", error);
    }
  }

  #error(problem: string, cause?: unknown): HttpError {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    return new HttpError(500, `${this.#path} ${problem}${reason}`);
  }
}
