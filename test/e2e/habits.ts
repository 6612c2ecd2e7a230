/** The runs of a stack, in their order. */
export type Step = "create" | "update" | "drift" | "refuse" | "restore" | "destroy";

/** What is declared of the webhooks at an API. */
export interface Fields {
  path: string;
  title: string;
  enabled: boolean;
  secret: string | undefined;
}

/** A row of docs/apis.md: what becomes of webhooks at an API with a habit. */
export interface Row {
  /** What the program declares otherwise from a step on. */
  changes: { [At in Step]?: Partial<Fields> };
  /** The warnings, the errors and the drift of its webhooks in a step, and no others. */
  says?: { [At in Step]?: RegExp[] };
  /** How the API keeps a name. Default: as it was sent. */
  keeps?: (name: string, url: string) => string;
  /** Whether the url is a Pulumi secret. */
  isSecret?: boolean;
  /** Whether the API disables its webhooks before the step "drift". */
  disables?: boolean;
  /** Whether a create that is refused changes the webhook that has its URL. */
  takesOver?: boolean;
  /** Whether the webhook that is replaced stays until a person has verified the new one. */
  isKept?: boolean;
  /** Before which step a person deletes a webhook. */
  deletedBefore?: Step;
  /** What the page says to set, in the step "restore": arguments of the Provider, and options of the webhooks. */
  set?: { args?: object; options?: object };
}

const MOVED = { path: "moved", title: "Refunds" };
const ROTATED = { secret: "whsec-canary-rotated" };
export const LATE = { path: "late" };
export const NARROW_KEY = "key-canary-narrow";

const CHANGED = /^~ .* \(\d\): (?:enabled .*, )?changed at /;
/** A line below one of the headings. */
const LISTED = /warning: - webhook \d \(/;
export const HEADINGS: { [At in Step]?: string[] } = {
  create: [
    "The API replied twice with another name than was sent",
    "although they should be enabled",
    "The API made secrets for these webhooks that its replies hide",
  ],
  update: ["The API replied twice with another name than was sent"],
  drift: ["webhook 3 is less than two minutes old, and the API does not find it yet"],
  refuse: ["although they should be enabled"],
  restore: ["The API replied that these webhooks do not exist. The refresh removes them from the state"],
};
const NOT_DELETED = /Deleting webhook \d .*failed: a create or an update of this Provider failed/;
const NOT_COMPARED = /Whether webhooks are enabled was not compared/;
const OTHER_KEY = /another API key saw it last/;

const rewriting = (
  keeps: (name: string) => string,
  says: RegExp[] = [],
  changes: Row["changes"] = {},
): Row => ({
  changes: { update: MOVED, restore: ROTATED, ...changes },
  says: { ...{ create: says, update: says, restore: says }, drift: [/^- .* \(\d\): deleted$/] },
  keeps,
  deletedBefore: "drift",
});
const unknownId = (status: number, changes: Row["changes"], says: Row["says"]): Row => ({
  changes: { ...changes, update: MOVED, refuse: LATE },
  says: { ...says, refuse: [new RegExp(`${status} .* set unknownIdStatus of the Provider .* to ${status}`)] },
  deletedBefore: "refuse",
  set: { args: { unknownIdStatus: status } },
});
const refusing = (refuse: RegExp[], drift: RegExp[] = [], restore: RegExp[] = []): Row => ({
  changes: { update: MOVED, refuse: ROTATED },
  says: { drift, refuse, restore },
  set: { options: { deleteBeforeReplace: true } },
});

/** By habits: some share an API, since each Provider is a process, whose start takes a second. */
export const ROWS: Record<string, Row> = {
  "storedNames=first 40 characters, simultaneousChanges=409, userAgent=required, enabledType=number":
    rewriting((name) => [...name].slice(0, 40).join(""), [LISTED]),
  "storedNames=slug, simultaneousChanges=423, unknownIdStatus=410, enabledType=digit": rewriting((name) =>
    (name.toLowerCase().match(/[a-z\d]+/g) ?? []).join("-"),
  ),
  "storedNames=without emoji, ignoredByCreate=enabled, deletedAfterSeconds=3": rewriting(
    (name) => name.replace("🚚 ", ""),
    [],
    { create: { enabled: false } },
  ),
  "storedNames=url without scheme, enabledType=capitals": {
    changes: { update: MOVED },
    says: { create: [LISTED], update: [LISTED] },
    keeps: (_, url) => url.replace("https://", ""),
    isSecret: true,
  },
  "ignoredByCreate=name, shownSecret=whsec_****4f2a, unknownIdStatus=400": unknownId(
    400,
    { create: { secret: undefined }, restore: ROTATED },
    { create: [LISTED] },
  ),
  "generatedSecret=if none is sent, deletes=refused, unknownIdStatus=422": unknownId(
    422,
    { create: { secret: undefined } },
    { destroy: [/422 .* in use by an integration/] },
  ),
  "updateReply=old, maxWebhooks=2": {
    changes: { update: { path: "moved" }, refuse: ROTATED, restore: { title: "Refunds" } },
    says: {
      // The recorded time is none: the reply showed the one before the update.
      drift: [/^! The URLs of webhooks were not compared/],
      refuse: [/The limit of 2 webhooks is reached.* still delivers/],
    },
    set: { args: { ignoreUpdatedAt: true }, options: { deleteBeforeReplace: true } },
  },
  "ignoredByUpdate=name, deliveryEverySeconds=60, keysFind=their own webhooks": {
    changes: { update: MOVED, refuse: LATE },
    says: { update: [LISTED], drift: [CHANGED], refuse: [OTHER_KEY], destroy: [OTHER_KEY] },
    keeps: (name) => name.replace("Refunds", "Orders"),
    set: { args: { ignoreUpdatedAt: true } },
  },
  "ignoredByUpdate=enabled, findableAfterSeconds=5": {
    changes: { update: { ...MOVED, ...ROTATED }, refuse: { enabled: false } },
    says: {
      refuse: [/the API replied twice that it is enabled. Disable it in the dashboard/],
      // It is sent again.
      restore: [LISTED],
    },
  },
  "verification=by hand": {
    changes: { update: MOVED, refuse: ROTATED },
    says: {
      create: [LISTED],
      // It is sent again.
      update: [LISTED],
      refuse: [LISTED, /Deleting webhook \d .*failed: its replacement does not deliver yet/],
      restore: [LISTED],
    },
    isKept: true,
  },
  "duplicateUrls=refused, disabledAfterSeconds=600": {
    ...refusing([/The url has already been taken.* deleteBeforeReplace/], [CHANGED]),
    disables: true,
  },
  "duplicateUrls=returned, enabledType=on or off": refusing(
    [/before this create: if the API keeps one for each URL/, NOT_DELETED],
    [NOT_COMPARED],
    [NOT_COMPARED],
  ),
  "duplicateUrls=taken over": {
    ...refusing([/before this create: if the API keeps one for each URL/, NOT_DELETED]),
    takesOver: true,
  },
};

const FORM =
  /The API rejected the form of the request. This package sends Authorization: Bearer and JSON with texts, and nothing else/;

/** By what the page does not support: the operation that fails, and says this; and how many webhooks a failing create leaves. */
export const UNSUPPORTED: Record<string, [failing: "create" | "update", says: RegExp, created?: number]> = {
  "credentials=Token": ["create", /The API asks for another scheme than Bearer. This package sends/],
  "credentials=X-Api-Key": ["create", /The API asks for another scheme than Bearer. This package sends/],
  "requiredHeader=X-Account-Id": ["create", FORM],
  "requestBody=form": ["create", FORM],
  "sentEnabled=boolean": ["create", FORM],
  "idPlace=none": ["create", /but the reply has no usable id/, 1],
  "updatedIds=new": ["update", /webhook 1 has the id 2 now: this API gives webhooks new ids/],
  "updateReply=none": ["update", /204 No Content from POST \/webhooks\/update, but the reply is empty/],
  "idType=changing case": ["update", /webhook WH_1 has the id wh_1 now: this API gives webhooks new ids/],
};
/** test/e2e/other-keys.slow.test.ts has these. */
export const ELSEWHERE = ["keysFind=their own account"];
