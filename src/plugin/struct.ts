import type { Properties, Received } from "../lifecycle/values.js";
import { Struct, type StructPb } from "../pulumi/sdk-internals.js";
import { SECRET_FIELDS } from "../record/fields.js";
import { SECRET_SIGNATURE, SIGNATURE, UNKNOWN, wrapSecrets } from "../record/special-values.js";

/** The values that stand for an unknown one in the engine's protocol, by type: string, boolean, number, array and others. */
const UNKNOWNS: ReadonlySet<unknown> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Reads properties of a request. One without a value is left out. */
export function fromStruct(struct: StructPb.Struct | undefined): Received {
  const values: Properties = {};
  const secrets = new Set<string>();
  for (const [name, sent] of Object.entries(struct?.toJavaScript() ?? {})) {
    const { [SIGNATURE]: signature, value: hidden } = Object(sent);
    const isSecret = signature === SECRET_SIGNATURE;
    const value: unknown = isSecret ? hidden : sent;
    if (isSecret) secrets.add(name);
    if (value !== null && value !== undefined) values[name] = UNKNOWNS.has(value) ? UNKNOWN : value;
  }
  return { values, secrets };
}

/** Writes properties for a reply, but none that is undefined. Those are secrets that were received as one, and those that always are. */
export function toStruct(values: Properties, ...received: readonly Received[]): StructPb.Struct {
  const secrets = received.flatMap(({ secrets }) => [...secrets]);
  const defined = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  return Struct.fromJavaScript(
    Object(wrapSecrets(defined, new Set([...secrets, ...SECRET_FIELDS, "apiKey"]))),
  );
}
