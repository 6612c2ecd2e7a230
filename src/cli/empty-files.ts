import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../client/api.js";
import { startPulumi } from "../stack/pulumi-cli.js";

/** What every command of Pulumi prints if a kill has hit its file backend while it wrote. */
export const BROKEN_CHECKPOINT = "failed to load checkpoint: EOF";

const account = z.object({ url: z.string() });

/**
 * Finds what a kill leaves if it hits Pulumi's file backend while it writes: empty files of attributes, without which the
 * backend works.
 *
 * @returns their paths; none if the backend has no files on this machine.
 */
export async function findEmptyFiles(): Promise<string[]> {
  const text = await startPulumi(["whoami", "--json"]).text.catch(() => "");
  const [, path] = /^file:\/\/([^?]*)/.exec(account.safeParse(parseJson(text)).data?.url ?? "") ?? [];
  if (path === undefined) return [];
  const folder = join(decodeURIComponent(path).replace(/^~/, homedir()), ".pulumi/stacks");
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const attributes = files.filter((file) => file.endsWith(".attrs")).map((file) => join(folder, file));
  const sizes = await Promise.all(attributes.map(async (file) => (await stat(file)).size));
  return attributes.filter((_, index) => sizes[index] === 0);
}
