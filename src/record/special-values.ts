/** The property that says what a special value is, in the engine's protocol. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** Its value for a secret. */
export const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/** Wraps a value as a secret for the engine, as the SDK does. */
export function toSecret<Value>(value: Value): { [SIGNATURE]: typeof SECRET_SIGNATURE; value: Value } {
  return { [SIGNATURE]: SECRET_SIGNATURE, value };
}

/** Wraps those of the values as secrets that have one of these names. */
export function wrapSecrets(
  values: Record<string, unknown>,
  names: ReadonlySet<string>,
): Record<string, unknown> {
  const toValue = (name: string, value: unknown) => (names.has(name) ? toSecret(value) : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toValue(name, value)]));
}

/** Stands for a value that a preview does not know yet. It arrives in check and diff, for booleans too. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
