import type { Named } from "../../stack/shown-name.js";
import { shownName } from "../../stack/shown-name.js";

/** The label of a webhook in messages, such as `webhook 42 (Orders)`. */
export function label(id: string, webhook: Named | undefined): string {
  return webhook === undefined ? `webhook ${id}` : `webhook ${id} (${shownName(webhook)})`;
}
