import { randomBytes } from "node:crypto";
import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { Kept } from "./store.js";

/** The data file cannot be read, understood or written; the message names it and says what to do. */
export class DataFileError extends Error {
  override readonly name = "DataFileError";
}

const digits = z.string().regex(/^(0|[1-9]\d*)$/, "expected decimal digits in quotes");
const time = z.iso.datetime({ precision: 6, error: "expected a time like 2026-01-31T12:00:00.000000Z" });
const webhook = z.strictObject({
  id: digits,
  url: z.string(),
  name: z.string(),
  secret: z.string().exactOptional(),
  enabled: z.boolean(),
  createdAt: time,
  updatedAt: time,
});
// Strict: what is not understood would be lost with the next write.
const content = z.strictObject({
  nextId: digits.default("0"),
  webhooks: z
    .array(webhook)
    .refine(
      (webhooks) => new Set(webhooks.map(({ id }) => id)).size === webhooks.length,
      "an id is there twice",
    ),
});
const file = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      // Not the parser's own words: they quote the text, and there may be a secret in it.
      context.issues.push({ code: "custom", message: "it is not JSON", input: text });
      return z.NEVER;
    }
  })
  .pipe(content);

/** The file that keeps the webhooks of one simulator from run to run. */
export class DataFile {
  private readonly path: string;
  /** The file itself, where the path is a link to it: renaming would put a file in the link's place. */
  private readonly target: string;
  /** What is in the file as far as we know; undefined: there is none. */
  private text: string | undefined;

  constructor(path: string) {
    this.path = path;
    this.target = targetOf(path);
  }

  /** What the file holds. A missing one is created, so that one that cannot be written is noticed at once. */
  load(): Kept {
    this.text = this.read();
    if (this.text === undefined) {
      const nothing: Kept = { webhooks: [], nextId: 0n };
      this.save(nothing);
      return nothing;
    }
    const parsed = file.safeParse(this.text);
    if (!parsed.success) {
      const { path = [], message } = parsed.error.issues[0] ?? {};
      const problem = [path.join("."), message].filter(Boolean).join(": ");
      throw new DataFileError(
        `${this.path} is no data file of the simulator (${problem}). It is left as it is: mend it, or name another.`,
      );
    }
    const { webhooks, nextId } = parsed.data;
    return { webhooks, nextId: BigInt(nextId) };
  }

  /** Writes beside the file and renames, so that it is always whole. Only its owner may read it: it holds secrets. */
  save({ webhooks, nextId }: Kept): void {
    // Two simulators would each undo what the other wrote, and an editor's change would be lost.
    if (this.read() !== this.text) {
      throw new DataFileError(
        `${this.path} was changed by something else, and is left as it is. ` +
          "Only one simulator may use a file; start it again to go on with what is in the file now.",
      );
    }
    const text = `${JSON.stringify({ nextId: `${nextId}`, webhooks }, undefined, 2)}\n`;
    const beside = `${this.target}.${randomBytes(4).toString("hex")}.tmp`;
    try {
      writeFileSync(beside, text, { mode: 0o600, flag: "wx" });
      renameSync(beside, this.target);
    } catch (error) {
      rmSync(beside, { force: true });
      throw new DataFileError(`${this.path} cannot be written: ${messageOf(error)}`, { cause: error });
    }
    this.text = text;
  }

  private read(): string | undefined {
    try {
      return readFileSync(this.target, "utf8");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw new DataFileError(`${this.path} cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // There is none yet, or reading it says what is wrong.
    return path;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
