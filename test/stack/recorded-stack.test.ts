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
  /** Updates during which an engine was killed. */
  updates?: ExportedResource[];
}

function stackWith({ resources = [], creates = [], updates = [] }: Held): RecordedStack {
  const pending_operations = [
    ...creates.map((resource) => ({ type: "creating", resource })),
    ...updates.map((resource) => ({ type: "updating", resource })),
  ];
  return new RecordedStack({ deployment: { manifest: { time: SAVED_AT }, resources, pending_operations } });
}

const create = (inputs: object = {}, fields: Partial<ExportedResource> = {}): ExportedResource => {
  const { outputs, ...resource } = webhook("orders", { inputs: { ...orders, ...inputs }, ...fields });
  return resource;
};

describe("an interrupted create", () => {
  it("is reported with what it sent, and when", () => {
    expect(stackWith({ creates: [create()] }).factsFor(urnOf("orders"))).toEqual({
      interrupted: { at: SAVED_AT, ...orders },
      unresolvedWith: {},
    });
  });

  it("is reported if the engine had its reply, and saved the state before the new record", () => {
    const replied = create({}, { id: "2", created: "2026-01-01T11:59:59.9Z" });
    const stack = stackWith({ resources: [webhook("orders", { id: "1", created })], creates: [replied] });
    expect(stack.factsFor(urnOf("orders")).interrupted).toMatchObject({ name: "Orders" });
    const later = webhook("orders", { id: "2", created: "2026-01-01T12:00:05Z" });
    const resolved = stackWith({ resources: [later], creates: [replied] });
    expect(resolved.factsFor(urnOf("orders")).interrupted).toBeUndefined();
  });

  it("is reported without its secrets", () => {
    const sent = create({ url: encrypted, secret: encrypted });
    expect(stackWith({ creates: [sent] }).factsFor(urnOf("orders"))).toEqual({
      interrupted: { at: SAVED_AT, name: "Orders", enabled: true },
      unresolvedWith: {},
    });
  });

  it("is reported as the newest run sent it", () => {
    const creates = [create({ name: "New" }), create({ name: "Old" })];
    expect(stackWith({ creates }).factsFor(urnOf("orders"))).toMatchObject({ interrupted: { name: "New" } });
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
    expect(stackWith(held).factsFor(urnOf("orders"))).not.toHaveProperty("interrupted");
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
    expect(stackWith(held).factsFor(urnOf("orders"))).toHaveProperty("interrupted");
  });

  it("is reported with the normalized URL that its provider sent it to", () => {
    const provider = { urn: "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::default", id: "p1" };
    const stackAt = (baseUrl: unknown) =>
      stackWith({
        resources: [
          { ...provider, type: "pulumi:providers:pulumi-nodejs", inputs: { "webhooks:baseUrl": baseUrl } },
        ],
        creates: [create({}, { provider: `${provider.urn}::${provider.id}` })],
      }).factsFor(urnOf("orders")).interrupted;
    expect(stackAt(" https://API.example.com/v1/ ")).toMatchObject({ baseUrl: "https://api.example.com/v1" });
    for (const unknown of [undefined, encrypted]) expect(stackAt(unknown)).not.toHaveProperty("baseUrl");
  });

  it("is reported under the earlier name of a renamed resource", () => {
    const killedReplacement = {
      resources: [webhook("orders", { id: "1", created })],
      creates: [create({}, { created })],
    };
    for (const held of [{ creates: [create()] }, killedReplacement]) {
      const facts = stackWith(held).factsFor(urnOf("renamed"), [urnOf("other"), urnOf("orders")]);
      expect(facts).toHaveProperty("interruptedAs", urnOf("orders"));
    }
  });

  it("is not reported under an earlier name if the resource has a record since", () => {
    for (const name of ["orders", "renamed"]) {
      const stack = stackWith({ resources: [webhook(name, { id: "1", created })], creates: [create()] });
      expect(stack.factsFor(urnOf("renamed"), [urnOf("orders")])).not.toHaveProperty("interruptedAs");
    }
  });

  it("is not reported if the replaced webhook has another record since", () => {
    const resources = [
      webhook("orders", { id: "2", created: "2026-01-01T11:30:00Z" }),
      webhook("orders", { id: "1", created, delete: true }),
    ];
    const stack = stackWith({ resources, creates: [create({}, { created })] });
    expect(stack.factsFor(urnOf("orders"))).toEqual({ recordedId: "2" });
  });
});

it("reports unresolved webhooks to all other resources", () => {
  const stack = stackWith({ resources: [webhook("refunds", { id: "in-doubt:x" })], creates: [create()] });
  const [first, second] = [
    { urn: urnOf("refunds"), logicalName: "refunds", url: orders.url, name: "Orders" },
    { urn: urnOf("orders"), logicalName: "orders", url: orders.url, name: "Orders" },
  ];
  expect(stack.factsFor(urnOf("new"))).toEqual({ unresolved: [first, second], logicalName: "new" });
  expect(stack.factsFor(urnOf("refunds"))).toEqual({
    unresolvedWith: {},
    recordedId: "in-doubt:x",
    unresolved: [second],
    logicalName: "refunds",
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
      expect(stack.factsFor(urnOf("orders")).unresolvedWith).toEqual({ provider: name });
    }
  },
);

it.each([
  ["eu::west", { provider: "eu::west" }],
  ["default_3_270_0", {}],
])("reports the Provider %s of an interrupted create after it has left the state", (name, expected) => {
  const creates = [create({}, { provider: `${PROVIDERS}::${name}::8f6b` })];
  expect(stackWith({ creates }).factsFor(urnOf("orders")).unresolvedWith).toEqual(expected);
});

it("reports no explicit Provider of a webhook in doubt that has the default one", () => {
  const [recorded, provider] = [providerNamed("default_3_270_0"), `${PROVIDERS}::default_3_270_0::8f6b`];
  const resources = [{ ...recorded, inputs: {} }, webhook("orders", { id: "in-doubt:x", provider })];
  expect(stackWith({ resources }).factsFor(urnOf("orders")).unresolvedWith).toEqual({});
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
  expect(stack.factsFor(urnOf("renamed"), [urnOf("orders")])).toEqual({
    unresolvedWith: {},
    recordedId: "in-doubt:x",
    replacedIds: ["1"],
  });
  expect(stack.factsFor(urnOf("refunds"), [urnOf("orders")])).toMatchObject({ recordedId: "2" });
});

it("reports the Provider of a webhook whose id, which a person entered, is not verified", () => {
  const provider = `${PROVIDERS}::eu::8f6b`;
  const found = webhook("orders", { id: "2", provider, outputs: { ...orders, inDoubtId: "in-doubt:x" } });
  const stack = stackWith({ resources: [providerNamed("eu"), found] });
  expect(stack.factsFor(urnOf("orders")).unresolvedWith).toEqual({ provider: "eu" });
});

it("reports the Provider of the interrupted create that replaces a webhook", () => {
  const provider = `${PROVIDERS}::eu::8f6b`;
  const held = {
    resources: [providerNamed("eu"), webhook("orders", { id: "1", created })],
    creates: [create({}, { created, provider })],
  };
  expect(stackWith(held).factsFor(urnOf("orders")).unresolvedWith).toEqual({ provider: "eu" });
});

it("reports only the id of a webhook in a stack whose webhooks are all recorded", () => {
  const stack = stackWith({ resources: [webhook("orders", { id: "1" })] });
  expect(stack.factsFor(urnOf("orders"))).toEqual({ recordedId: "1" });
  expect(stack.factsFor(urnOf("new"))).toEqual({});
});

it("reports only the id of a record in doubt that was dropped for a replacement", () => {
  const dropped = webhook("orders", { id: "in-doubt:x", pendingReplacement: true });
  const stack = stackWith({ resources: [dropped] });
  expect(stack.factsFor(urnOf("orders"))).toEqual({ recordedId: "in-doubt:x" });
  expect(stack.factsFor(urnOf("new"))).toEqual({});
});

it("finds nothing in a stack that has no state yet", () => {
  expect(new RecordedStack({}).factsFor(urnOf("orders"))).toEqual({});
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
    expect(stack.factsFor(urnOf("orders"))).toMatchObject({ recordedId: doubtId, replacedIds: ["1"] });
  });

  it("are reported while its id, which a person entered, is not verified", () => {
    const found = webhook("orders", { id: "2", outputs: { ...orders, inDoubtId: doubtId } });
    const stack = stackWith({ resources: [found, ...replaced] });
    expect(stack.factsFor(urnOf("orders"))).toMatchObject({ recordedId: "2", replacedIds: ["1"] });
  });

  it("are not reported if their replacement exists", () => {
    const stack = stackWith({ resources: [webhook("orders", { id: "2" }), ...replaced] });
    expect(stack.factsFor(urnOf("orders"))).toEqual({ recordedId: "2" });
  });

  it("are reported if one is the same webhook", () => {
    const stack = stackWith({ resources: [webhook("orders", { id: "1" }), ...replaced] });
    expect(stack.factsFor(urnOf("orders"))).toEqual({ recordedId: "1", replacedIds: ["1"] });
  });
});
