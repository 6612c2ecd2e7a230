import { isUtf8 } from "node:buffer";

/** Parses JSON in UTF-8. Returns undefined, which is no JSON value, for anything else. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
