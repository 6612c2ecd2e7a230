import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "./parse-json.js";

const DIGITS = z.string().regex(/^\d+$/);
const SAVED = z.object({
  nextId: DIGITS,
  webhooks: z.array(
    z.object({
      id: DIGITS,
      url: z.string(),
      name: z.string(),
      secret: z.string().optional(),
      enabled: z.boolean(),
      createdAt: z.string(),
      updatedAt: z.string(),
      createdBy: z.string().optional(),
    }),
  ),
});

/** What the file of a simulator holds. */
type SavedWebhooks = z.infer<typeof SAVED>;

/**
 * Reads the webhooks of an earlier start, if there was one.
 * @throws RangeError if the file holds something else, and the system's error if it cannot be read.
 */
export function loadWebhooks(file: string): SavedWebhooks | undefined {
  if (!existsSync(file)) return undefined;
  const { data } = SAVED.safeParse(parseJson(readFileSync(file)));
  if (data) return data;
  throw new RangeError(
    `file: ${file} holds something else than webhooks of the simulator; name another file`,
  );
}

/** Writes the webhooks, with their secrets, for this user only. A crash leaves the old file or the new one. */
export function saveWebhooks(file: string, saved: SavedWebhooks): void {
  writeFileSync(`${file}.new`, JSON.stringify(saved, undefined, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
