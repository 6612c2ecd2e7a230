import { REPLACE_ON_CHANGES } from "../stack/hidden-properties.js";
import type { State } from "./state.js";

/**
 * Lists the inputs whose change replaces the webhook: its secret, which the API cannot change, and those that the option
 * `replaceOnChanges` lists. The constructor passes the option as an input, since the SDK does not report to the engine
 * what changed. And the engine would create a webhook in doubt again if the option is `*`.
 */
export function findReplacingChanges(recorded: State, news: Record<string, unknown>): string[] {
  const option = news[REPLACE_ON_CHANGES];
  const listed: unknown[] = Array.isArray(option) ? option : [];
  return (["url", "name", "enabled", "secret"] as const).filter(
    (field) =>
      news[field] !== recorded[field] &&
      (field === "secret" || listed.includes(field) || listed.includes("*")),
  );
}
