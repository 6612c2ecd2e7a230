import type { ExportedResource } from "../../../src/stack/stack-export.js";

/** Checks what Pulumi checks of a state: all but one of the records of a URN wait for their deletion. @throws Error if not. */
export function requireIntegrity(resources: readonly ExportedResource[]): void {
  const current = resources.filter((record) => !record.delete).map(({ urn }) => urn);
  const twice = current.find((urn, index) => current.indexOf(urn) !== index);
  if (twice !== undefined) throw new Error(`snapshot integrity failure: duplicate resource ${twice}`);
}

/** Gives each record that another one names in its aliases the URN of that, as the engine does before it saves. */
export function resolveAliases(resources: readonly ExportedResource[]): void {
  const names = new Map(resources.flatMap(({ urn, aliases = [] }) => aliases.map((alias) => [alias, urn])));
  for (const record of resources) {
    record.urn = names.get(record.urn) ?? record.urn;
    delete record.aliases;
  }
}
