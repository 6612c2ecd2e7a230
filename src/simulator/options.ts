import { z } from "zod";

/**
 * An object that accepts no other keys. From JavaScript, a misspelled option would be ignored, and a test would pass for
 * the wrong reason.
 */
export function strictOptions<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown option ${issue.keys.join(", ")}; the options are ${Object.keys(shape).join(", ")}`
        : undefined,
  });
}

/**
 * Checks a value, and fills in the defaults.
 *
 * @param name what messages call the value.
 * @throws RangeError that names each wrong option and what it allows.
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name?: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    [[name, ...path].filter((key) => key !== undefined).join("."), message].filter(Boolean).join(": "),
  );
  throw new RangeError(problems.join("; "));
}
