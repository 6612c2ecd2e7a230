import { describe, expect, it } from "vitest";
import { RecordedStack } from "../../src/stack/recorded-stack.js";
import type { ExportedResource } from "../../src/stack/stack-export.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";

const SAVED_AT = "2026-01-01T12:00:00.123456789Z";
const urnOf = (name: string) => `urn:pulumi:dev::test::${WEBHOOK_TYPE}::${name}`;
const orders = { url: "https://example.com/orders", name: "Orders", enabled: true };
/** A secret as the state shows it. */
const encrypted = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "v1:",
};

function webhook(name: string, fields: Partial<ExportedResource> = {}): ExportedResource {
  const outputs = { ...orders, baseUrl: "https://api.example.com" };
  return { urn: urnOf(name), type: WEBHOOK_TYPE, inputs: orders, outputs, ...fields };
}

const created = "2026-01-01T11:00:00.000000001Z";

interface Held {
  resources?: ExportedResource[];
  /** Creates during which an engine was killed, newest first. */
  creates?: ExportedResource[];
  /** Updates and deletes during which an engine was killed. */
  updates?: ExportedResource[];
  deletes?: ExportedResource[];
}

function stackWith({ resources = [], creates = [], updates = [], deletes = [] }: Held): RecordedStack {
  const pending_operations = [
    ...creates.map((resource) => ({ type: "creating", resource })),
    ...updates.map((resource) => ({ type: "updating", resource })),
    ...deletes.map((resource) => ({ type: "deleting", resource })),
  ];
  return new RecordedStack({ deployment: { manifest: { time: SAVED_AT }, resources, pending_operations } });
}

const create = (inputs: object = {}, fields: Partial<ExportedResource> = {}): ExportedResource => {
  const { outputs, ...resource } = webhook("orders", { inputs: { ...orders, ...inputs }, ...fields });
  return resource;
};

describe("an interrupted create", () => {
  it("is reported with what it sent, and when", () => {
    expect(stackWith({ creates: [create()] }).pastOf({ urn: urnOf("orders") })).toEqual({
      interrupted: { at: SAVED_AT, ...orders },
      provider: {},
      hasInterruptedStack: true,
      hasUnresolvedStack: true,
    });
  });

  it("is reported if the engine had its reply, and saved the state before the new record", () => {
    const replied = create({}, { id: "2", created: "2026-01-01T11:59:59.9Z" });
    const stack = stackWith({ resources: [webhook("orders", { id: "1", created })], creates: [replied] });
    expect(stack.pastOf({ urn: urnOf("orders") }).interrupted).toMatchObject({ name: "Orders" });
    const later = webhook("orders", { id: "2", created: "2026-01-01T12:00:05Z" });
    const resolved = stackWith({ resources: [later], creates: [replied] });
    expect(resolved.pastOf({ urn: urnOf("orders") }).interrupted).toBeUndefined();
  });

  it("is reported without its secrets", () => {
    const sent = create({ url: encrypted, secret: encrypted });
    expect(stackWith({ creates: [sent] }).pastOf({ urn: urnOf("orders") })).toEqual({
      interrupted: { at: SAVED_AT, name: "Orders", enabled: true },
      provider: {},
      hasInterruptedStack: true,
      hasUnresolvedStack: true,
    });
  });

  it("is reported as the newest run sent it", () => {
    const creates = [create({ name: "New" }), create({ name: "Old" })];
    expect(stackWith({ creates }).pastOf({ urn: urnOf("orders") })).toMatchObject({
      interrupted: { name: "New" },
    });
  });

  it.each([
    [
      "the resource is recorded",
      { resources: [webhook("orders", { id: "1", created })], creates: [create()] },
    ],
    [
      "the resource is in doubt",
      { resources: [webhook("orders", { id: "in-doubt:x", created })], creates: [create()] },
    ],
    ["it imports a webhook", { creates: [create({ import: "42" })] }],
    ["it was refused because of an earlier one", { creates: [create({ __interrupted: { at: SAVED_AT } })] }],
    ["it is an update", { updates: [create()] }],
    ["it is another package's", { creates: [{ ...create(), type: "aws:s3/bucket:Bucket" }] }],
  ])("is not reported if %s", (_, held) => {
    expect(stackWith(held).pastOf({ urn: urnOf("orders") })).not.toHaveProperty("interrupted");
  });

  it.each([
    ["the recorded webhook", { created }],
    ["a webhook whose record pulumi stack import wrote, without a time", {}],
    ["a webhook that was only read", { external: true, created }],
  ])("is reported if it replaces %s", (_, fields) => {
    const { created } = fields as ExportedResource;
    const held = {
      resources: [webhook("orders", { id: "1", ...fields })],
      creates: [create({}, created === undefined ? {} : { created })],
    };
    expect(stackWith(held).pastOf({ urn: urnOf("orders") })).toHaveProperty("interrupted");
  });

  it("is reported with the normalized URL that its provider sent it to", () => {
    const provider = { urn: "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::default", id: "p1" };
    const stackAt = (baseUrl: unknown) =>
      stackWith({
        resources: [
          { ...provider, type: "pulumi:providers:pulumi-nodejs", inputs: { "webhooks:baseUrl": baseUrl } },
        ],
        creates: [create({}, { provider: `${provider.urn}::${provider.id}` })],
      }).pastOf({ urn: urnOf("orders") }).interrupted;
    expect(stackAt(" https://API.example.com/v1/ ")).toMatchObject({ baseUrl: "https://api.example.com/v1" });
    for (const unknown of [undefined, encrypted]) expect(stackAt(unknown)).not.toHaveProperty("baseUrl");
  });

  it("is reported under the earlier name of a renamed resource", () => {
    const killedReplacement = {
      resources: [webhook("orders", { id: "1", created })],
      creates: [create({}, { created })],
    };
    for (const held of [{ creates: [create()] }, killedReplacement]) {
      const past = stackWith(held).pastOf({
        urn: urnOf("renamed"),
        earlierUrns: [urnOf("other"), urnOf("orders")],
      });
      expect(past).toHaveProperty("interruptedAs", urnOf("orders"));
    }
  });

  it("is not reported under an earlier name if the resource has a record since", () => {
    for (const name of ["orders", "renamed"]) {
      const stack = stackWith({ resources: [webhook(name, { id: "1", created })], creates: [create()] });
      expect(stack.pastOf({ urn: urnOf("renamed"), earlierUrns: [urnOf("orders")] })).not.toHaveProperty(
        "interruptedAs",
      );
    }
  });

  it("is not reported if the replaced webhook has another record since", () => {
    const resources = [
      webhook("orders", { id: "2", created: "2026-01-01T11:30:00Z" }),
      webhook("orders", { id: "1", created, delete: true }),
    ];
    const stack = stackWith({ resources, creates: [create({}, { created })] });
    expect(stack.pastOf({ urn: urnOf("orders") })).toEqual({
      recordedId: "2",
      replacedIds: ["1"],
      provider: {},
    });
  });
});

describe("a noted create", () => {
  const noted = {
    file: "",
    urn: urnOf("orders"),
    sentAt: "2026-01-01T11:00:00.000Z",
    account: "account",
    secret: "digest",
    reply: { id: "1" },
  };

  it("has the webhook in its reply, which another resource must not import", () => {
    const stack = new RecordedStack({}, [noted]);
    expect(stack.holdersOf("1", urnOf("second"))).toMatchObject([{ urn: urnOf("orders"), isOwn: false }]);
    expect(stack.holdersOf("1", urnOf("orders"))).toEqual([]);
    expect(stack.holdersOf("2", urnOf("second"))).toEqual([]);
  });

  it("stays open while nothing has confirmed the webhook that was imported in its place", () => {
    const outputs = { unconfirmed: true, baseUrl: "https://api.example.com" };
    const imported = webhook("orders", { id: "99", outputs, created: "2026-01-01T12:00:00Z" });
    const open = new RecordedStack({ deployment: { resources: [imported] } }, [noted]);
    expect(open.pastOf({ urn: urnOf("orders") })).toMatchObject({ isImported: true, interrupted: {} });
    expect(open.settled).toEqual([]);
  });
});

it("leaves open which webhook it is if nothing has confirmed the one that was imported in place of one in doubt", () => {
  const outputs = { unconfirmed: true, baseUrl: "https://api.example.com" };
  const doubt = webhook("orders", { id: "in-doubt:x", delete: true });
  const stack = stackWith({ resources: [webhook("orders", { id: "99", outputs }), doubt] });
  expect(stack.pastOf({ urn: urnOf("orders") })).toMatchObject({ isImported: true, isInDoubt: true });
});

describe("a new webhook that may be one whose create has an unknown outcome", () => {
  const twinsOf = (held: Held, { name = "renamed", earlierUrns = [] as string[], ...sent }) =>
    stackWith(held)
      .twinsOf({ urn: urnOf(name), earlierUrns }, { url: orders.url, name: "Orders", ...sent.sent })
      .map(({ urn }) => urn);
  const inDoubt = (name: string, outputs: object = {}) =>
    webhook(name, { id: "in-doubt:x", outputs: { ...orders, ...outputs } });

  it.each([
    ["a webhook in doubt", { resources: [inDoubt("orders")] }],
    ["an interrupted create", { creates: [create()] }],
  ])("is reported if it has the url and the name of %s", (_, held) => {
    expect(stackWith(held).hasUnresolved).toBe(true);
    expect(twinsOf(held, {})).toEqual([urnOf("orders")]);
  });

  it.each([
    ["the url is equal, and both names are the default", { name: "orders" }, { name: "renamed" }],
    ["the name is equal, and the url was a secret", { url: encrypted }, { url: "https://example.com/any" }],
    ["the url is equal, and the name was a secret", { name: encrypted }, { name: "Any" }],
  ])("is reported if %s", (_, recorded, sent) => {
    expect(twinsOf({ resources: [inDoubt("orders", recorded)] }, { sent })).toEqual([urnOf("orders")]);
    expect(twinsOf({ creates: [create(recorded)] }, { sent })).toEqual([urnOf("orders")]);
  });

  it.each([
    ["the url differs", {}, { url: "https://example.com/other" }],
    ["the name differs", {}, { name: "Other" }],
    ["only the own name is the default", {}, { name: "renamed" }],
    ["only the other's name was the default", { name: "orders" }, { name: "Renamed" }],
  ])("is not reported if %s", (_, recorded, sent) => {
    expect(twinsOf({ resources: [inDoubt("orders", recorded)] }, { sent })).toEqual([]);
  });

  it("is not reported if it is the resource itself, also under its earlier name", () => {
    const held = { resources: [inDoubt("orders")], creates: [create({}, { urn: urnOf("refunds") })] };
    expect(twinsOf(held, { name: "orders" })).toEqual([urnOf("refunds")]);
    expect(twinsOf(held, { earlierUrns: [urnOf("orders")] })).toEqual([urnOf("refunds")]);
    expect(twinsOf(held, {})).toEqual([urnOf("orders"), urnOf("refunds")]);
  });

  it("is not reported if the webhook in doubt was deleted for a replacement", () => {
    const held = { resources: [webhook("orders", { id: "in-doubt:x", pendingReplacement: true })] };
    expect(stackWith(held).hasUnresolved).toBe(false);
    expect(twinsOf(held, {})).toEqual([]);
  });

  it("is reported with the Provider of the other one, which may be another account", () => {
    const provider = `${PROVIDERS}::eu::8f6b`;
    const held = { resources: [providerNamed("eu"), webhook("orders", { id: "in-doubt:x", provider })] };
    expect(stackWith(held).twinsOf({ urn: urnOf("renamed") }, orders)).toEqual([
      { urn: urnOf("orders"), provider: "eu", baseUrl: "https://api.example.com" },
    ]);
  });
});

const PROVIDERS = "urn:pulumi:dev::test::test:Team$pulumi:providers:pulumi-nodejs";

/** The record of an explicit Provider of this package. */
const providerNamed = (name: string): ExportedResource => ({
  type: "pulumi:providers:pulumi-nodejs",
  urn: `${PROVIDERS}::${name}`,
  id: "8f6b",
  inputs: { "webhooks:explicitProvider": name },
});

it.each(["eu", "eu::west", "default_eu"])(
  "reports the explicit Provider %s of a webhook in doubt or of an interrupted create",
  (name) => {
    const provider = `${PROVIDERS}::${name}::8f6b`;
    const inDoubt = webhook("orders", { id: "in-doubt:x", provider });
    for (const stack of [
      stackWith({ resources: [providerNamed(name), inDoubt] }),
      stackWith({ resources: [providerNamed(name)], creates: [create({}, { provider })] }),
    ]) {
      expect(stack.pastOf({ urn: urnOf("orders") }).provider).toEqual({ name });
    }
  },
);

it.each([
  ["eu::west", { name: "eu::west" }],
  ["default_3_270_0", {}],
])("reports the Provider %s of an interrupted create after it has left the state", (name, expected) => {
  const creates = [create({}, { provider: `${PROVIDERS}::${name}::8f6b` })];
  expect(stackWith({ creates }).pastOf({ urn: urnOf("orders") }).provider).toEqual(expected);
});

it("reports no explicit Provider of a webhook in doubt that has the default one", () => {
  const [recorded, provider] = [providerNamed("default_3_270_0"), `${PROVIDERS}::default_3_270_0::8f6b`];
  const resources = [{ ...recorded, inputs: {} }, webhook("orders", { id: "in-doubt:x", provider })];
  expect(stackWith({ resources }).pastOf({ urn: urnOf("orders") }).provider).toEqual({});
});

it("reports what concerns a webhook in doubt also under its new name", () => {
  const resources = [
    webhook("orders", { id: "in-doubt:x" }),
    webhook("orders", { id: "1", delete: true }),
    webhook("refunds", { id: "2" }),
  ];
  const stack = stackWith({ resources });
  expect(stack.mayBeRenamed(urnOf("renamed"))).toBe(true);
  expect(stack.mayBeRenamed(urnOf("refunds"))).toBe(false);
  expect(stack.pastOf({ urn: urnOf("renamed"), earlierUrns: [urnOf("orders")] })).toEqual({
    provider: {},
    recordedId: "in-doubt:x",
    replacedIds: ["1"],
    isInDoubt: true,
    hasUnresolvedStack: true,
  });
  expect(stack.pastOf({ urn: urnOf("refunds"), earlierUrns: [urnOf("orders")] })).toMatchObject({
    recordedId: "2",
  });
});

it("reports the Provider of a webhook whose id, which a person entered, is not verified", () => {
  const provider = `${PROVIDERS}::eu::8f6b`;
  const found = webhook("orders", { id: "2", provider, outputs: { ...orders, inDoubtId: "in-doubt:x" } });
  const stack = stackWith({ resources: [providerNamed("eu"), found] });
  expect(stack.pastOf({ urn: urnOf("orders") }).provider).toEqual({ name: "eu" });
});

it("reports the Provider of the interrupted create that replaces a webhook", () => {
  const provider = `${PROVIDERS}::eu::8f6b`;
  const held = {
    resources: [providerNamed("eu"), webhook("orders", { id: "1", created })],
    creates: [create({}, { created, provider })],
  };
  expect(stackWith(held).pastOf({ urn: urnOf("orders") }).provider).toEqual({ name: "eu" });
});

it("reports only the id and the Provider of a webhook in a stack whose webhooks are all recorded", () => {
  const stack = stackWith({ resources: [webhook("orders", { id: "1" })] });
  expect(stack.pastOf({ urn: urnOf("orders") })).toEqual({ recordedId: "1", provider: {} });
  expect(stack.pastOf({ urn: urnOf("new") })).toEqual({});
});

it("reports a webhook that was deleted for a replacement, which does not exist yet", () => {
  const deleted = (id: string) =>
    stackWith({ resources: [webhook("orders", { id, pendingReplacement: true })] });
  const past = { provider: {}, isDeleted: true };
  expect(deleted("1").pastOf({ urn: urnOf("orders") })).toEqual({ ...past, recordedId: "1" });
  expect(deleted("in-doubt:x").pastOf({ urn: urnOf("orders") })).toEqual({
    ...past,
    recordedId: "in-doubt:x",
    isInDoubt: true,
  });
  expect(deleted("in-doubt:x").pastOf({ urn: urnOf("new") })).toEqual({});
});

it.each(["updates", "deletes"] as const)("reports %s during which an engine was killed", (kind) => {
  const resources = [webhook("orders", { id: "1" }), webhook("refunds", { id: "2" })];
  const stack = stackWith({ resources, [kind]: [webhook("orders", { id: "1" })] });
  expect(stack.pastOf({ urn: urnOf("orders") })).toHaveProperty("hasInterruptedChange", true);
  expect(stack.pastOf({ urn: urnOf("renamed"), earlierUrns: [urnOf("orders")] })).toMatchObject({
    recordedId: "1",
    hasInterruptedChange: true,
  });
  expect(stack.pastOf({ urn: urnOf("refunds") })).not.toHaveProperty("hasInterruptedChange");
});

it("reports an interrupted update without an id, and no interrupted delete of a webhook that was replaced", () => {
  const resources = [webhook("orders", { id: "2" })];
  const updated = stackWith({ resources, updates: [webhook("orders")] });
  expect(updated.pastOf({ urn: urnOf("orders") })).toHaveProperty("hasInterruptedChange", true);
  const deleted = stackWith({ resources, deletes: [webhook("orders", { id: "1" })] });
  expect(deleted.pastOf({ urn: urnOf("orders") })).not.toHaveProperty("hasInterruptedChange");
});

it("reports the interrupted update of a webhook that an alias renamed, also after the rename was reverted", () => {
  const resources = [webhook("orders", { id: "1" }), webhook("refunds", { id: "2" })];
  const aliases = [urnOf("older"), urnOf("orders")];
  const stack = stackWith({ resources, updates: [webhook("renamed", { aliases })] });
  for (const renamed of [
    { urn: urnOf("orders") },
    { urn: urnOf("renamed"), earlierUrns: [urnOf("orders")] },
    // A transformation added the alias: only the engine knows it.
    { urn: urnOf("renamed") },
  ]) {
    expect(stack.pastOf(renamed)).toHaveProperty("hasInterruptedChange", true);
  }
  expect(stack.pastOf({ urn: urnOf("refunds") })).not.toHaveProperty("hasInterruptedChange");
});

it("lists the interrupted creates with the names that they sent, or with the resource's if that is a secret", () => {
  const creates = [create({}, { urn: urnOf("refunds") }), create({ name: encrypted })];
  expect(stackWith({ creates }).interruptedOf(WEBHOOK_TYPE)).toEqual([
    { name: "orders", id: undefined, provider: undefined },
    { name: "Orders", id: undefined, provider: undefined },
  ]);
});

it("tells its own state from that of another stack or project", () => {
  const stack = stackWith({ resources: [webhook("orders", { id: "1" })] });
  expect(stack.isOf({ stack: "dev", project: "test" })).toBe(true);
  expect(stack.isOf({ stack: "prod", project: "test" })).toBe(false);
  expect(stack.isOf({ stack: "dev", project: "other" })).toBe(false);
  expect(new RecordedStack({}).isOf({ stack: "prod", project: "test" })).toBe(true);
});

it("finds nothing in a stack that has no state yet", () => {
  expect(new RecordedStack({}).hasUnresolved).toBe(false);
  expect(new RecordedStack({}).pastOf({ urn: urnOf("orders") })).toEqual({});
});

it("lists all records of a webhook that Pulumi manages, with their API, also those that wait for their deletion", () => {
  const stack = stackWith({
    resources: [
      webhook("orders", { id: "1" }),
      webhook("refunds", { id: "1", delete: true, outputs: { ...orders, baseUrl: encrypted } }),
      webhook("invoices", { id: "2" }),
      webhook("read", { id: "1", external: true }),
    ],
  });
  expect(stack.holdersOf("1", urnOf("orders"))).toEqual([
    { urn: urnOf("orders"), isOwn: true, baseUrl: "https://api.example.com" },
    { urn: urnOf("refunds"), isOwn: false },
  ]);
  expect(stack.holdersOf("3", urnOf("orders"))).toEqual([]);
});

describe("the webhooks that a resource replaced", () => {
  const doubtId = "in-doubt:2026-01-01T12:00:00.000Z-abcd";
  const replaced = [
    webhook("orders", { id: "1", delete: true }),
    webhook("orders", { id: doubtId, delete: true }),
  ];

  it("are reported while their replacement is in doubt", () => {
    const stack = stackWith({ resources: [webhook("orders", { id: doubtId }), ...replaced] });
    expect(stack.pastOf({ urn: urnOf("orders") })).toMatchObject({ recordedId: doubtId, replacedIds: ["1"] });
  });

  it("are reported while its id, which a person entered, is not verified", () => {
    const found = webhook("orders", { id: "2", outputs: { ...orders, inDoubtId: doubtId } });
    const stack = stackWith({ resources: [found, ...replaced] });
    expect(stack.pastOf({ urn: urnOf("orders") })).toEqual({
      recordedId: "2",
      replacedIds: ["1"],
      isInDoubt: true,
      provider: {},
    });
  });

  it("are reported also if their replacement exists", () => {
    const stack = stackWith({ resources: [webhook("orders", { id: "2" }), ...replaced] });
    expect(stack.pastOf({ urn: urnOf("orders") })).toEqual({
      recordedId: "2",
      replacedIds: ["1"],
      provider: {},
    });
  });

  it("are reported if one is the same webhook", () => {
    const stack = stackWith({ resources: [webhook("orders", { id: "1" }), ...replaced] });
    expect(stack.pastOf({ urn: urnOf("orders") })).toMatchObject({ recordedId: "1", replacedIds: ["1"] });
  });
});
