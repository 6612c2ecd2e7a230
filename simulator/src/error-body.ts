import { STATUS_CODES } from "node:http";
import type { Behavior } from "./behavior.js";
import type { HttpError } from "./http-error.js";

/** What the body of an error can say. */
type Content = Pick<HttpError, "status" | "message"> & {
  title: string;
  code: string;
  errors: readonly { field: string; text: string }[] | undefined;
};

/** The body of an error in each shape. Where the message is in a list, it stands for those of the fields if there are none. */
const BODIES: { readonly [Shape in Behavior["errorShape"]]: (content: Content) => object | string } = {
  message: ({ message }) => ({ message }),
  // Laravel includes `errors` only for invalid fields.
  errors: ({ message, errors }) => ({
    message,
    errors: errors && Object.fromEntries(errors.map(({ field, text }) => [field, [text]])),
  }),
  nested: ({ code, message }) => ({ error: { code, message } }),
  problem: ({ status, title, message: detail, errors }) => ({
    type: "about:blank",
    title,
    status,
    detail,
    "invalid-params": errors?.map(({ field: name, text: reason }) => ({ name, reason })),
  }),
  list: ({ code, message, errors = [{ field: "", text: message }] }) =>
    errors.map(({ field, text: msg }) => ({ code, ...(field && { field }), msg })),
  "google.rpc": ({ status: code, message, errors }) => ({
    error: {
      code,
      message,
      details: errors && [
        { fieldViolations: errors.map(({ field, text: description }) => ({ field, description })) },
      ],
    },
  }),
  "json:api": ({ status, title, message, errors = [{ field: "", text: message }] }) => ({
    errors: errors.map(({ field, text: detail }) => ({
      status: String(status),
      title,
      detail,
      ...(field && { source: { pointer: `/data/attributes/${field}` } }),
    })),
  }),
  languages: ({ message, errors }) => ({
    reason: { en: errors?.map(({ text }) => text).join(" ") ?? message, de: "Abgelehnt." },
  }),
  "json in message": ({ message, errors }) => ({
    message: JSON.stringify(
      errors ? Object.fromEntries(errors.map(({ field, text }) => [field, [text]])) : { error: message },
    ),
  }),
  xml: ({ code, message, errors = [{ field: "", text: message }] }) =>
    `<?xml version="1.0"?><errors>${errors.map(({ field, text }) => `<error><code>${code}</code><field>${field}</field><message>${text}</message></error>`).join("")}</errors>`,
  html: ({ status, title }) => `<!doctype html>\n<title>${status} ${title}</title>\n<h1>${title}</h1>\n`,
  empty: () => "",
};
const TYPES = new Map([
  ["xml", "application/xml"],
  ["html", "text/html; charset=utf-8"],
  ["problem", "application/problem+json"],
]);

/** Writes the body of an error, and its type, if it is not empty. */
export function errorBody(
  shape: Behavior["errorShape"],
  { status, message, errors }: HttpError,
): { type?: string; body: string } {
  const title = STATUS_CODES[status] ?? "Error";
  const code = title.toLowerCase().replaceAll(/\W+/g, "_");
  const fields =
    errors && Object.entries(errors).flatMap(([field, texts]) => texts.map((text) => ({ field, text })));
  const content = BODIES[shape]({ status, message, title, code, errors: fields });
  if (content === "") return { body: "" };
  const body = typeof content === "string" ? content : JSON.stringify(content);
  return { type: TYPES.get(shape) ?? "application/json", body };
}
