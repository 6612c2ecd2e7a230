// The files of all teams: one per team, without conflicts between them.
import { readdirSync, readFileSync } from "node:fs";
import { basename, posix } from "node:path";
import { RunError } from "@pulumi/pulumi";
import type { Path, TeamData } from "./team-file";
import { NAME, NAME_RULE, parseTeamFile } from "./team-file";

/** A team, and what it declares. */
export interface Declaration extends TeamData {
  team: string;
}

/**
 * Reads the files of all teams.
 *
 * @param folder the folder of the files, each named `<team>.yaml`.
 * @throws RunError that lists the problems of all files.
 */
export function readTeams(folder: string): Declaration[] {
  const problems: string[] = [];
  const places = new Map<string, string>();
  const teams: Declaration[] = [];
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  for (const name of names.sort()) {
    const path = posix.join(folder, name);
    const team = basename(name, ".yaml");
    if (!NAME.test(team) || team === name) {
      problems.push(`${path}: Name the file <team>.yaml. ${NAME_RULE}`);
      continue;
    }
    const file = parseTeamFile(path, readFileSync(path, "utf8"));
    problems.push(...file.problems);
    if (file.data === undefined) continue;
    const declaration = { team, ...file.data };
    for (const [claim, key] of claimsOf(declaration)) {
      const place = file.locate(key);
      const other = places.get(claim);
      if (other === undefined) places.set(claim, place);
      else problems.push(`${place}: The same as ${other}`);
    }
    teams.push(declaration);
  }
  if (problems.length > 0) {
    throw new RunError(`The teams' files have problems, so nothing is declared:\n  ${problems.join("\n  ")}`);
  }
  return teams;
}

/** Lists what can exist only once, each with the key that claims it. */
function* claimsOf({ team, renamedFrom, webhooks }: Declaration): Iterable<[claim: string, key: Path]> {
  yield [`team ${team}`, []];
  if (renamedFrom !== undefined) yield [`team ${renamedFrom}`, ["renamedFrom"]];
  for (const [key, { account, url, name = `${team}/${key}` }] of Object.entries(webhooks)) {
    yield [`url ${account} ${receiverOf(url)}`, ["webhooks", key, "url"]];
    // People cannot tell names apart that differ only in letter case, or in how é is encoded.
    yield [`name ${name.normalize("NFKC").toLowerCase()}`, ["webhooks", key, "name"]];
  }
}

/** Ignores the letter case of the host, a slash at the end and a fragment: they lead to the same receiver. */
function receiverOf(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return origin + pathname.replace(/\/+$/, "") + search;
}
