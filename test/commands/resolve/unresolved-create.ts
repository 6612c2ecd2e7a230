import type { UnresolvedCreate } from "../../../src/stack/unresolved.js";
import { SENT, urnOf } from "../../stack/exported.js";

/** A create that an engine was killed in, and that was sent at SENT. */
export const unresolvedOf = (resource: string, fields: Partial<UnresolvedCreate> = {}): UnresolvedCreate => ({
  urn: urnOf(resource),
  shownBy: "pending",
  name: resource,
  sentAt: SENT,
  lookAlikes: [],
  ...fields,
});
