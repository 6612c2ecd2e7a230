import { z } from "zod";

// What the three operations take. The page's forms are held to the same, and told the same when something is wrong.

// The document lists the fields without saying which a create needs; a strict server needs an endpoint and a name.
const text = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a string") })
  .min(1, "must not be empty");
const enabled = z
  .enum(["true", "false"], "must be 'true' or 'false'")
  .transform((value) => value === "true")
  .optional();

/** The body of a create. */
export const createRequest = z.object({
  url: text,
  name: text,
  secret: z.string("must be a string").optional(),
  enabled,
});
/** The body of an update. */
export const updateRequest = z.object({
  webhook_id: text,
  url: text.optional(),
  name: text.optional(),
  enabled,
});
/** The body of a delete. */
export const deleteRequest = z.object({ webhook_id: text });

/** What is wrong, by field. */
export type Problems = Record<string, string[]>;

/** What is wrong with a body, in the API's words. */
export function problemsOf(error: z.ZodError): { message: string; errors: Problems } {
  const errors: Problems = {};
  for (const { path, message } of error.issues) {
    const field = path.join(".");
    errors[field] = [...(errors[field] ?? []), `The ${field} field ${message}.`];
  }
  return { message: Object.values(errors).flat().join(" "), errors };
}
