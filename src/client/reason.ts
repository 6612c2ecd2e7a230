import { isInput } from "../record/fields.js";
import { isObject, parseJson } from "./api.js";
import { isName, quoteReasons, type Reason } from "./quote.js";

/** The forms of a reason: what its parts are called, in lower case and without signs. All else in a reply is not read. */
const FORMS = {
  /** A text, or a list or an object of texts. */
  reason:
    /^(?!.*(?:level|severity)$)(?:.*(?:message|mensagem|mensaje|msg|detail|description|reason|title|err(?:or|$)|hint|summary|explanation|cause|faultstring|violation|issue|problem|invalid|failure|validation|modelstate|scope|permission)|fields$)/,
  /** What is around a reason, and no text itself. */
  around:
    /^(?:data|response|result|body|meta|status|payload|fault|embedded|extensions|extra|badrequest|children|constraints|properties)$/,
  /** Below a name that means nothing here, only such a name begins a reason: what else is there may be a record. */
  error: /err(?:or|$)|issue|violation|problem|invalid|(?:message|scope|permission)s$/,
  /** Names the field that a text is about. */
  field:
    /^(?:instance|data|json|schema|illegal|invalid|missing)?(?:field|name|param|parameter|path|pointer|loc|location|property|attr|attribute|argument|element|source|in)(?:name|path)?s?$/,
  /** Stands for all fields. */
  all: /^(?:all|attributes|base|body|cookies|general|headers|json|params|payload|query|request|root|value|webhooks?)$/,
  /** In an object of errors, also a field. */
  fieldToo: /^(?:description|summary|title)$/,
  /** Counts if there is no text. */
  code: /code$|^tag$/,
  /** In an object of fields, a text below such a name may be the secret itself, unless it is in a list. */
  secret: /secret|key|token|sign|pass|pwd|auth|credential/,
};
/** A text in several languages. */
const LANGUAGE = /^(?!id$)[a-z]{2}(?:[-_][a-z]{2,4})?$/i;
const MAX_DEPTH = 12;
const MAX_REASONS = 20;
const MAX_MARKUP_CHARACTERS = 20_000;
/** Of a longer page, the title says the most. */
const MAX_PAGE_CHARACTERS = 400;

/**
 * Reads why the API refused a request, from the body of its reply. The rest of a reply may hold secrets that only the API knows.
 * @returns undefined if there is no reason, or if no word of it can be shown.
 */
export function readReason(body: string, secrets: readonly string[]): string | undefined {
  const text = body.trim();
  const parsed = parseJson(text) ?? parseMarkup(text) ?? (/^\p{L}/u.test(text) ? text : undefined);
  const reasons = find(parsed, { isReason: typeof [parsed].flat()[0] === "string" });
  return quoteReasons(reasons.slice(0, MAX_REASONS), secrets);
}

/** Reports whether a body is a web page, and no other XML. */
export const isPage = (body: string) =>
  /^\s*</.test(body) && /<(?:!doctype html|html|h1|body|center)\b/i.test(body);

/** Parses XML as objects, each of which ends where a key is repeated, and a web page as its texts, or the first of many. */
function parseMarkup(body: string): unknown {
  if (!body.startsWith("<") || body.length > MAX_MARKUP_CHARACTERS) return undefined;
  if (isPage(body)) {
    const inline = /<!--.*?-->|<(script|style)\b.*?<\/\1>|<\/?(?:a|b|code|em|i|span|strong)\b[^>]*>/gis;
    const blocks = body.replaceAll(inline, "");
    const texts = blocks.split(/<[^>]*>/).map(decode);
    return texts.join("").length > MAX_PAGE_CHARACTERS ? texts.find(Boolean) : texts;
  }
  const data: Record<string, string>[] = [{}];
  const put = (key: string, text: string) => {
    if (key in (data.at(-1) ?? {})) data.push({});
    Object.assign(data.at(-1) ?? {}, { [key]: decode(text) });
  };
  const plain = body.replaceAll(/<!\[CDATA\[|\]\]>/g, "");
  const elements = plain.matchAll(/<(?:[\w.-]+:)?([\w.-]+)([^<>]*)>([^<]*)/g);
  for (const [, key = "", attributes = "", text = ""] of elements) {
    for (const [, name = "", value = ""] of attributes.matchAll(/([\w.-]+)="([^"]*)"/g)) put(name, value);
    if (text.trim() !== "") put(key, text);
  }
  return { data };
}

/** What is escaped is most often a quotation mark. */
const decode = (text: string) => text.replaceAll(/&#?\w+;/g, (sign) => (sign === "&gt;" ? ">" : "'")).trim();

interface Place {
  /** Whether a text here is a reason. */
  isReason: boolean;
  /** The field that it is about. */
  field?: string;
  /** The names of the fields above. */
  path?: string;
  /** Whether the object here may be one of fields, whose texts are not in lists. */
  isList?: boolean;
  /** Whether the object here is all errors, most often by field. */
  isMap?: boolean;
  /** Whether it is below a name that means nothing here. */
  isUnknown?: boolean;
  depth?: number;
}

function find(value: unknown, place: Place): Reason[] {
  const { isReason, field = "", isList = false, isMap = false, isUnknown = false, depth = MAX_DEPTH } = place;
  if (depth === 0) return [];
  const within = (part: unknown, other: Partial<Place> = {}) =>
    find(part, { ...place, isMap: false, ...other, depth: depth - 1 });
  if (typeof value === "string") {
    // A gateway quotes the reply of the API behind it.
    const [, before = "", json = ""] = /^([^[{]*)([[{].*)$/s.exec(value) ?? [];
    const parsed = parseJson(json);
    const text = (parsed === undefined ? value : before).trim().replace(/\/\.\.+$/, "");
    const own = isReason && text !== "" ? [{ field, text }] : [];
    return parsed === undefined ? own : [...own, ...within(parsed, { isUnknown: false })];
  }
  if (Array.isArray(value)) return value.flatMap((part) => within(part));
  if (!isObject(value)) return [];
  if (Object.keys(value).every((key) => LANGUAGE.test(key)))
    return within(value.en ?? Object.values(value)[0]);
  const entries = Object.entries(value).map(([key, part]) => ({ key, part, form: fold(key) }));
  const isText = (part: unknown) => typeof part === "string";
  // Beside the first message, the path is that of the request.
  const namesField = (form: string) => FORMS.field.test(form) && (isReason || form !== "path");
  const names = entries.flatMap(({ form, part }) => (namesField(form) && pathOf(part, form)) || []);
  const isReasoned = entries.some(
    ({ form, part }) => FORMS.reason.test(form) || (FORMS.around.test(form) && !isText(part)),
  );
  // Beside the name of a field, `name` is that of the error.
  const isCode = (form: string) => FORMS.code.test(form) || (form === "name" && names.length > 1);
  const code = entries.find(({ form, part }) => isText(part) && isCode(form))?.part;
  const isOfFields =
    (!isUnknown && entries.every(({ part }) => Array.isArray(part) || hasMessages(part))) ||
    (isReason && code === undefined && !isReasoned);
  const own = (!isOfFields && names.find((name) => name !== code)) || field;
  const hasFields =
    isMap && entries.every(({ form }) => FORMS.fieldToo.test(form) || !FORMS.reason.test(form));
  const found = entries.flatMap(({ key, part, form }) => {
    if ((isUnknown ? FORMS.error : FORMS.reason).test(form)) {
      const isList = form.endsWith("s");
      const about = hasFields ? key : own;
      return within(part, { isReason: true, field: about, isList, isMap: isList, isUnknown: false });
    }
    if (FORMS.around.test(form) && !(isMap && isText(part)))
      return isText(part) ? [] : within(part, { field: own, isReason: isReason || value.status === "fail" });
    if (isText(part) && !isList && FORMS.secret.test(form)) return [];
    const isField = isOfFields || (isInput(key) && Array.isArray(part));
    if (!isField) return within(part, { isReason: false, isUnknown: true });
    const path = [place.path, pathOf(key)].filter(Boolean).join(".");
    return within(part, { isReason: true, path, field: isInput(field) ? field : path || field });
  });
  return found.length > 0 || isUnknown ? found : within(code, { isReason: true, field: own });
}

/** Reports whether a value is an object with a message, or with lists alone, as each field has one in a map of them. */
const hasMessages = (value: unknown) =>
  isObject(value) && ("message" in value || "msg" in value || Object.values(value).every(Array.isArray));

const fold = (key: string) => key.replaceAll(/[^A-Za-z]/g, "").toLowerCase();

/** Returns the names at the end of a path: `/data/hook/url`, `["body", "hook", 0, "url"]`, `{ pointer: "/hook/url" }`. */
function pathOf(path: unknown, form = ""): string {
  if (isObject(path)) return pathOf(Object.entries(path).find(([key]) => FORMS.field.test(fold(key)))?.[1]);
  // A list of fields is no path.
  const parts = [path].flat().slice(form.endsWith("s") ? -1 : 0);
  const texts = parts.filter((part) => typeof part === "string" && !/\s/.test(part));
  const names = texts.flatMap((text) => String(text).split(/[/.[\]#$'"]+/));
  const start = names.findLastIndex((name) => /\D/.test(name) && !isName(name)) + 1;
  const shown = names.slice(start).filter((name) => isName(name) && !FORMS.all.test(fold(name)));
  return shown.join(".").replace(/^data\./, "");
}
