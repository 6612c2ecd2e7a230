/**
 * Writes an argument of a command that a person may copy into a shell. Names come from programs, the state and the API:
 * none of them may run as code. A URN is always quoted, which also shows where it ends in a sentence.
 */
export function shellArgument(text: string): string {
  return /^(?!urn:)[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
