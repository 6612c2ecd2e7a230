import { printable } from "../wording/unprintable.js";
import { SECRET_NAME } from "./properties.js";

/** A webhook whose name may be a secret. */
export interface Named {
  name: string;
  [SECRET_NAME]?: true | undefined;
}

/** Returns the name that checked inputs declare. */
export function toNamed({ name, [SECRET_NAME]: isSecret }: Record<string, unknown>): Named {
  return { name: String(name ?? ""), [SECRET_NAME]: isSecret === true || undefined };
}

const MAX_LENGTH = 60;

/** Returns the name of a webhook for messages: short, without invisible characters, `[secret]` if it is one. */
export function shownName(webhook: Named): string {
  if (webhook[SECRET_NAME]) return "[secret]";
  const characters = [...printable(webhook.name, "")];
  // A probe may have cleared it, and an import has none yet.
  if (characters.length === 0) return "no name";
  if (characters.length <= MAX_LENGTH) return characters.join("");
  return `${characters.slice(0, MAX_LENGTH).join("")}…`;
}

/** Returns the label of a webhook in messages, such as `webhook 42 (Orders)`. */
export function label(id: string, webhook: Named | undefined): string {
  return webhook === undefined ? `webhook ${id}` : `webhook ${id} (${shownName(webhook)})`;
}

const MAX_NAMES = 10;

/** Lists names for a message: the first ones, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}
