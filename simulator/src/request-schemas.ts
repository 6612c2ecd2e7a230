import { z } from "zod";
import { HttpError } from "./http-error.js";

// The bodies of the three operations. The control API uses the same schemas and messages.

// The API docs do not say which fields a create requires; a strict server requires a URL and a name.
const TEXT = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a string") })
  .min(1, "must not be empty");
const ENABLED = z
  .enum(["true", "false"], "must be 'true' or 'false'")
  .transform((value) => value === "true")
  .optional();

/** The body of a create. */
export const CREATE_REQUEST = z.object({
  url: TEXT,
  name: TEXT,
  secret: z.string("must be a string").optional(),
  enabled: ENABLED,
});
/** The body of an update. */
export const UPDATE_REQUEST = z.object({
  webhook_id: TEXT,
  url: TEXT.optional(),
  name: TEXT.optional(),
  enabled: ENABLED,
});
/** The body of a delete. */
export const DELETE_REQUEST = z.object({ webhook_id: TEXT });

/** What adds a fault by the control API. */
export const FAULT_REQUEST = z.strictObject({ fault: TEXT });

/** What changes the API key by the control API. */
export const KEY_REQUEST = z.strictObject({ apiKey: TEXT });

/** Parses a body. @throws HttpError that describes its problems in the API's words. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const errors: Record<string, string[]> = {};
  for (const { path, message } of error.issues) {
    const field = path.join(".");
    const problem = field === "" ? message : `The ${field} field ${message}.`;
    errors[field] = [...(errors[field] ?? []), problem];
  }
  throw new HttpError(422, Object.values(errors).flat().join(" "), { errors });
}
