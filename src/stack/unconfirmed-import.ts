/**
 * Reports whether recorded outputs are those of a webhook that the engine has imported, by an option of its own, and no update
 * has confirmed since: nothing is known yet but its id.
 */
export function isUnconfirmedImport({ unconfirmed, baseUrl, url }: Record<string, unknown> = {}): boolean {
  return unconfirmed === true && baseUrl !== undefined && url === undefined;
}
