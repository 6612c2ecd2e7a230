/** Returns what reading or writing a file returns, or undefined if that fails: the file is gone, or the folder cannot be written to. */
export function ifPossible<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
