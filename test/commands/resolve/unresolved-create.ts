import type { UnresolvedCreate } from "../../../src/stack/unresolved.js";
import { pending, SENT, UNTIL, urnOf } from "../../stack/exported.js";

/** A create that an engine was killed in, and that was sent at SENT. */
export const unresolvedOf = (resource: string, fields: Partial<UnresolvedCreate> = {}): UnresolvedCreate => ({
  urn: urnOf(resource),
  shownBy: "pending",
  name: resource,
  resource: pending("creating", resource).resource,
  sentAt: SENT,
  until: UNTIL,
  ...fields,
});
