/** What there is to know of a field of a webhook. */
interface Field {
  /** Its name at the API. */
  wire: string;
  /** A secret is one in the state, whatever the program says, and no message shows it. */
  type: "text" | "secret" | "boolean" | "time";
  roles: readonly Role[];
}

/**
 * - `"create"`: a create sends it, so it is an input.
 * - `"update"`: an update sends it, so it changes in place. Drift compares it if a reply shows it, too.
 * - `"reply"`: a reply shows it. If it is no input, it is recorded as an output.
 * - `"required"`: every webhook has it, so an import must declare it. The others are optional.
 */
type Role = "create" | "update" | "reply" | "required";

/**
 * The fields of a webhook. Requests, the parsing of replies, inputs, outputs, the state, the diff, drift and the plugin's schema follow from
 * this table. An update sends all that it may: the effect of omitting a field is "not shown".
 */
export const FIELDS = {
  url: { wire: "url", type: "text", roles: ["create", "update", "required"] },
  name: { wire: "name", type: "text", roles: ["create", "update", "reply", "required"] },
  secret: { wire: "secret", type: "secret", roles: ["create"] },
  enabled: { wire: "enabled", type: "boolean", roles: ["create", "update", "reply", "required"] },
  /** What the API made for a create without a secret. */
  generatedSecret: { wire: "secret", type: "secret", roles: ["reply"] },
  createdAt: { wire: "created_at", type: "time", roles: ["reply"] },
  updatedAt: { wire: "updated_at", type: "time", roles: ["reply"] },
} as const satisfies Record<string, Field>;

type Fields = typeof FIELDS;

export type FieldName = keyof Fields;

/** The names of the fields that have a role. */
export type NameOf<Has extends Role> = {
  [Name in FieldName]: Has extends Fields[Name]["roles"][number] ? Name : never;
}[FieldName];

type Value<Name extends FieldName> = Fields[Name]["type"] extends "boolean" ? boolean : string;

/** The values of some fields. Those that no webhook must have are optional. */
export type Values<Name extends FieldName> = {
  [Key in Extract<Name, NameOf<"required">>]: Value<Key>;
} & { [Key in Exclude<Name, NameOf<"required">>]?: Value<Key> | undefined };

export type NewWebhook = Values<NameOf<"create">>;
export type WebhookFields = Values<NameOf<"update">>;

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

function namesOf<Has extends Role>(role: Has): readonly NameOf<Has>[] {
  const has = (name: FieldName): name is NameOf<Has> => FIELDS[name].roles.some((one: Role) => one === role);
  return FIELD_NAMES.filter(has);
}

export const INPUTS = namesOf("create");
export const UPDATED = namesOf("update");
export const REPLIED = namesOf("reply");
export const REQUIRED = namesOf("required");

/** The outputs that are no inputs. */
export const OUTPUTS = REPLIED.filter((name) => !isInput(name));

/** What drift compares. */
export const COMPARED = REPLIED.filter((name) => isOneOf(name, UPDATED));

/** The names of what is always a secret. */
export const SECRET_FIELDS = FIELD_NAMES.filter((name) => FIELDS[name].type === "secret");

/** Those of them that are outputs only. */
export const SECRET_OUTPUTS = OUTPUTS.filter((name) => SECRET_FIELDS.includes(name));

export function isInput(name: string): name is NameOf<"create"> {
  return isOneOf(name, INPUTS);
}

function isOneOf<Name extends FieldName>(name: string, names: readonly Name[]): name is Name {
  return names.some((one) => one === name);
}

/** Returns a value for each of some fields, without those that are undefined. */
export function valuesOf<Name extends FieldName>(
  names: readonly Name[],
  read: (name: Name) => unknown,
): Values<Name> {
  const entries = names.map((name) => [name, read(name)]).filter(([, value]) => value !== undefined);
  // No type ties a value to its name here.
  return Object.fromEntries(entries);
}
