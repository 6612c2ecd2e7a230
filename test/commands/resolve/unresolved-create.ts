import type { ListedCreate } from "../../../src/commands/resolve/find-unresolved.js";
import { pending, SENT, UNTIL, urnOf } from "../../stack/exported.js";

/** A create that an engine was killed in, and that was sent at SENT. */
export const unresolvedOf = (resource: string, fields: Partial<ListedCreate> = {}): ListedCreate => ({
  urn: urnOf(resource),
  shownBy: "pending",
  name: resource,
  resource: pending("creating", resource).resource,
  sentAt: SENT,
  until: UNTIL,
  keep: [],
  ...fields,
});
