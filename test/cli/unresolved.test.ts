import { describe, expect, it } from "vitest";
import { applyAnswer, findOwner } from "../../src/cli/apply-answer.js";
import { findOtherPending, recordInterrupted } from "../../src/cli/record-interrupted.js";
import { findUnresolved } from "../../src/cli/unresolved.js";
import { shortHash } from "../../src/journal/short-hash.js";
import type { ExportedResource, StackExport } from "../../src/stack/stack-export.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";

const urnOf = (name: string) => `urn:pulumi:dev::test::${WEBHOOK_TYPE}::${name}`;
const sent = {
  __provider: "the stored text",
  url: "https://example.com/orders",
  name: "Orders",
  enabled: true,
};
const baseUrl = "https://api.example.com/v1";
const provider = "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::default";
const settings = {
  urn: provider,
  id: "p1",
  type: "pulumi:providers:pulumi-nodejs",
  inputs: { "webhooks:baseUrl": `${baseUrl}/`, "webhooks:apiKey": { ciphertext: "v1:" } },
};
/** The time of the test itself, or nearly. */
const RECENT = new RegExp(`^${new Date().toISOString().slice(0, 10)}`);
const inDoubt = "in-doubt:2026-01-01T12:00:00.000Z-abcd";
const secret = { ciphertext: "v1:secret" };

const webhook = (name: string, fields: Partial<ExportedResource> = {}): ExportedResource => ({
  urn: urnOf(name),
  type: WEBHOOK_TYPE,
  inputs: sent,
  outputs: { ...sent, baseUrl },
  provider: `${provider}::p1`,
  ...fields,
});

const pending = (name: string, fields: Partial<ExportedResource> = {}) => {
  const { outputs, ...resource } = webhook(name, { inputs: { ...sent, secret }, ...fields });
  return { type: "creating", resource };
};

interface Held {
  resources?: ExportedResource[];
  pending_operations?: { type: string; resource: ExportedResource }[];
}

/** Records what a killed run left, with nothing in the journal. */
function record(state: StackExport, environment: NodeJS.ProcessEnv = {}) {
  return recordInterrupted(state, { noted: [], changesFolder: "", environment });
}

/** A state, after its interrupted creates were recorded. */
function stateWith({ resources = [], pending_operations = [] }: Held): StackExport {
  const manifest = { time: "2026-01-01T12:00:00Z" };
  const state = { deployment: { manifest, resources: [settings, ...resources], pending_operations } };
  record(state);
  return state;
}

/** The webhooks of a state, without its provider. */
const webhooks = ({ deployment }: StackExport) => deployment?.resources?.slice(1);

describe("recordInterrupted", () => {
  it("records an interrupted create in doubt, with all that was sent, at its provider's URL", () => {
    const state = stateWith({ pending_operations: [pending("orders")] });
    expect(webhooks(state)).toEqual([
      {
        ...pending("orders").resource,
        id: expect.stringMatching(/^in-doubt:2026-01-01T12:00:00\.000Z-/),
        created: expect.stringMatching(RECENT),
        modified: expect.stringMatching(RECENT),
        outputs: { ...sent, secret, baseUrl, interrupted: true },
      },
    ]);
    expect(state.deployment?.pending_operations).toEqual([]);
  });

  it("records each interrupted create at the URL of its own provider", () => {
    const eu = {
      ...settings,
      urn: `${provider}-eu`,
      inputs: { "webhooks:baseUrl": "https://eu.example.com" },
    };
    const state = stateWith({
      resources: [eu],
      pending_operations: [pending("orders"), pending("refunds", { provider: `${provider}-eu::p1` })],
    });
    const urls = webhooks(state)?.map(({ urn, outputs }) => [urn, outputs?.baseUrl]);
    expect(urls).toContainEqual([urnOf("orders"), baseUrl]);
    expect(urls).toContainEqual([urnOf("refunds"), "https://eu.example.com"]);
  });

  it("records an interrupted replacement in the place of the webhook that it replaces, which is to be deleted", () => {
    const old = webhook("orders", { id: "1", created: "2026-01-01T11:00:00Z" });
    const dependent = webhook("refunds", { id: "2" });
    const create = pending("orders", { created: "2026-01-01T11:00:00Z" });
    expect(webhooks(stateWith({ resources: [old, dependent], pending_operations: [create] }))).toMatchObject([
      {
        urn: urnOf("orders"),
        id: expect.stringMatching(/^in-doubt:/),
        created: expect.stringMatching(RECENT),
      },
      dependent,
      { ...old, delete: true },
    ]);
  });

  it("records the interrupted create of a resource that only read a webhook before, and deletes nothing", () => {
    const read = webhook("orders", { id: "1", external: true });
    expect(webhooks(stateWith({ resources: [read], pending_operations: [pending("orders")] }))).toMatchObject(
      [{ id: expect.stringMatching(/^in-doubt:/) }],
    );
  });

  it("finds a later replacement of a webhook that was found, if it is interrupted as well", () => {
    const state = stateWith({ pending_operations: [pending("orders")] });
    applyAnswer(state, urnOf("orders"), { found: "1" });
    const [found] = webhooks(state) ?? [];
    const { created = "" } = found ?? {};
    const later = stateWith({
      resources: found ? [found] : [],
      pending_operations: [pending("orders", { created })],
    });
    expect(webhooks(later)).toMatchObject([
      { id: expect.stringMatching(/^in-doubt:/) },
      { id: "1", delete: true },
    ]);
  });

  it("drops the record of a webhook that was deleted before its replacement", () => {
    const created = "2026-01-01T11:00:00Z";
    const old = webhook("orders", { id: "1", created, pendingReplacement: true });
    const state = stateWith({ resources: [old], pending_operations: [pending("orders", { created })] });
    expect(webhooks(state)).toMatchObject([{ id: expect.stringMatching(/^in-doubt:/) }]);
  });

  it("restores the secret that was sent in a record that a later run made", () => {
    const outputs = { ...sent, secret: { ciphertext: "v1:rotated" }, baseUrl, interrupted: true };
    const record = webhook("orders", { id: inDoubt, created: "2026-01-01T11:00:00Z", outputs });
    const state = stateWith({ resources: [record], pending_operations: [pending("orders")] });
    expect(webhooks(state)).toMatchObject([{ id: inDoubt, outputs: { ...outputs, secret } }]);
  });

  it("keeps the secret of a webhook that was found, although its replacement was interrupted as well", () => {
    const outputs = { ...sent, secret, baseUrl, interrupted: true, unconfirmed: true, inDoubtId: inDoubt };
    const created = "2026-01-01T11:00:00Z";
    const found = webhook("orders", { id: "42", created, outputs });
    const replacement = { ...sent, secret: { ciphertext: "v1:rotated" } };
    const state = stateWith({
      resources: [found],
      pending_operations: [pending("orders", { created, inputs: replacement })],
    });
    expect(webhooks(state)).toMatchObject([
      { id: expect.stringMatching(/^in-doubt:/), outputs: replacement },
      { id: "42", delete: true, outputs },
    ]);
  });

  it("keeps the secret that the create sent, although a later import of the webhook was killed too", () => {
    const outputs = { ...sent, secret: { ciphertext: "v1:rotated" }, baseUrl, interrupted: true };
    const record = webhook("orders", { id: inDoubt, created: "2026-01-01T11:00:00Z", outputs });
    const imported = { ...sent, secret: { ciphertext: "v1:imported" }, import: "42" };
    const state = stateWith({
      resources: [record],
      pending_operations: [pending("orders", { inputs: imported }), pending("orders")],
    });
    expect(webhooks(state)).toMatchObject([{ id: inDoubt, outputs: { ...outputs, secret } }]);
  });

  it("removes the entries of creates that are resolved, and keeps those of other resources", () => {
    const other = { type: "creating", resource: { urn: "urn:bucket", type: "aws:s3/bucket:Bucket" } };
    const record = webhook("orders", { id: "1", created: "2026-01-01T11:00:00Z" });
    const state = stateWith({ resources: [record], pending_operations: [pending("orders"), other] });
    expect(webhooks(state)).toEqual([record]);
    expect(state.deployment?.pending_operations).toEqual([other]);
    expect(findOtherPending(state)).toEqual(["urn:bucket"]);
    const updates = [
      { ...other, type: "updating" },
      { type: "updating", resource: settings },
    ];
    expect(findOtherPending({ deployment: { pending_operations: updates } })).toEqual(["urn:bucket"]);
  });

  it("reads the URL from the environment if the stack's config does not hold it, but not for an explicit Provider", () => {
    const stateOf = (inputs: object): StackExport => ({
      deployment: {
        resources: [{ ...settings, inputs: { ...inputs } }],
        pending_operations: [pending("orders")],
      },
    });
    const environment = { WEBHOOKS_BASE_URL: baseUrl };
    const state = stateOf({});
    record(state, environment);
    expect(webhooks(state)).toMatchObject([{ outputs: { baseUrl } }]);
    for (const [unknown, env] of [
      [stateOf({}), {}],
      [
        stateOf({ "webhooks:explicitProvider": "eu", "webhooks:baseUrl": { ciphertext: "v1:" } }),
        environment,
      ],
    ] as const) {
      const { problems } = record(unknown, env);
      expect([...problems]).toEqual([[urnOf("orders"), expect.stringContaining("Run pulumi up once")]]);
    }
  });

  it("lists a create whose Provider has left the state, and says how to resolve it", () => {
    const state: StackExport = { deployment: { resources: [], pending_operations: [pending("orders")] } };
    expect([...record(state).problems]).toEqual([
      [
        urnOf("orders"),
        `The state does not show at which base URL ${urnOf("orders")} was created: its Provider has left the state. If the webhook is in the dashboard, delete it there, or import it with the option import. Then add --none orders.`,
      ],
    ]);
    expect(findUnresolved(state, [])).toMatchObject([{ resource: "orders", reason: "killed" }]);
  });

  it("does not record the replacement of a webhook that was renamed in the same run", () => {
    const old = webhook("old", { id: "1", created: "2026-01-01T11:00:00Z" });
    const create = pending("orders", { created: "2026-01-01T11:00:00Z" });
    const state: StackExport = { deployment: { resources: [settings, old], pending_operations: [create] } };
    expect([...record(state).problems]).toEqual([
      [
        urnOf("orders"),
        `${urnOf("orders")} was renamed and replaced at the same time. Run pulumi up once, which records it as in doubt, then run this command again. If the up does not record it, look for the webhook in the dashboard, delete it there, and add --none orders.`,
      ],
    ]);
    applyAnswer(state, urnOf("orders"), "none");
    expect(webhooks(state)).toEqual([old]);
  });

  it("records a create that the engine had a reply to, but had not saved as created", () => {
    const create = pending("orders", { id: "7", created: "2026-01-01T12:00:00Z" });
    const refunds = webhook("refunds", { id: "2", created: "2026-01-01T11:00:00Z" });
    const state: StackExport = {
      deployment: { resources: [settings, refunds], pending_operations: [create] },
    };
    expect([...record(state).problems]).toEqual([]);
    expect(webhooks(state)).toMatchObject([refunds, { id: expect.stringMatching(/^in-doubt:/) }]);
  });

  it("drops references to resources that have left the state, which pulumi stack import would refuse", () => {
    const known = webhook("known", { id: "1" });
    const gone = urnOf("gone");
    const create = pending("orders", {
      parent: gone,
      dependencies: [gone, known.urn],
      propertyDependencies: { url: [gone], name: [known.urn], enabled: null },
    });
    const [, recorded] = webhooks(stateWith({ resources: [known], pending_operations: [create] })) ?? [];
    expect(recorded).toMatchObject({
      dependencies: [known.urn],
      propertyDependencies: { url: [], name: [known.urn] },
    });
    expect(recorded).not.toHaveProperty("parent");
  });
});

describe("what else leaves the state", () => {
  const dropped = (state: StackExport) => record(state).dropped;

  it("is a create whose resource has another webhook since, which may be a second one", () => {
    const resources = [
      webhook("orders", { id: "2", created: "2026-01-01T13:00:00Z" }),
      webhook("twin", { id: "7" }),
      // It is that create.
      webhook("found", { id: "5", created: "2026-01-01T13:00:00Z", outputs: { inDoubtId: inDoubt } }),
    ];
    const pending_operations = ["orders", "found"].map((name) =>
      pending(name, { created: "2026-01-01T12:00:00Z" }),
    );
    const state: StackExport = { deployment: { resources: [settings, ...resources], pending_operations } };
    expect(dropped(state)).toEqual([
      {
        operation: "create",
        urn: urnOf("orders"),
        resource: "orders",
        id: "2",
        name: "Orders",
        url: sent.url,
        sameName: [{ id: "7", resource: "twin" }],
      },
    ]);
  });

  it("is an interrupted update, also if its entry has no id", () => {
    const { id: _, ...entry } = webhook("orders", { id: "1" });
    const state: StackExport = {
      deployment: {
        resources: [settings, webhook("orders", { id: "1" })],
        pending_operations: [{ type: "updating", resource: entry }],
      },
    };
    expect(dropped(state)).toMatchObject([{ operation: "update", resource: "orders", id: "1" }]);
  });

  it.each(["updating", "deleting"])(
    "is an interrupted %s, and the next up sends all fields instead",
    (type) => {
      const orders = webhook("orders", { id: "1" });
      const replaced = webhook("refunds", { id: "2", delete: true });
      const state: StackExport = {
        deployment: {
          resources: [settings, orders, webhook("refunds", { id: "3" }), replaced],
          pending_operations: [orders, replaced].map((resource) => ({ type, resource: { ...resource } })),
        },
      };
      expect(dropped(state)).toEqual([
        {
          operation: type === "updating" ? "update" : "delete",
          urn: urnOf("orders"),
          resource: "orders",
          id: "1",
        },
      ]);
      expect(webhooks(state)).toEqual([
        webhook("orders", { id: "1", outputs: { ...sent, baseUrl, unconfirmed: true } }),
        webhook("refunds", { id: "3" }),
        replaced,
      ]);
      expect(state.deployment?.pending_operations).toEqual([]);
    },
  );
});

describe("an import that no update has confirmed", () => {
  const imported = webhook("orders", { id: "99", outputs: { unconfirmed: true, baseUrl } });

  it("gives way to the webhook in doubt whose place it took: its id may be wrong", () => {
    const doubt = webhook("orders", { id: inDoubt, delete: true });
    const replaced = webhook("orders", { id: "1", delete: true });
    const state = stateWith({ resources: [imported, webhook("refunds", { id: "2" }), replaced, doubt] });
    expect(findUnresolved(state, [])).toMatchObject([{ resource: "orders", reason: "no reply" }]);
    applyAnswer(state, urnOf("orders"), "none");
    expect(webhooks(state)?.map(({ urn, id, delete: isReplaced }) => [urn, id, isReplaced])).toEqual([
      [urnOf("orders"), "1", undefined],
      [urnOf("refunds"), "2", undefined],
    ]);
  });

  it("gives way to an interrupted create", () => {
    const create = { ...pending("orders", { created: "2026-01-01T11:00:00Z" }) };
    const state = stateWith({ resources: [imported], pending_operations: [create] });
    expect(webhooks(state)).toMatchObject([
      { urn: urnOf("orders"), id: expect.stringMatching(/^in-doubt:/) },
    ]);
  });
});

describe("a noted create", () => {
  const sentAt = "2026-01-01T12:00:00.000Z";
  const noted = {
    file: "",
    urn: urnOf("orders"),
    sentAt,
    account: shortHash(baseUrl),
    secret: "digest",
    reply: { id: "42" },
  };
  const left = (create = noted) => ({ noted: [create], changesFolder: "", environment: {} });
  const state = (): StackExport => ({ deployment: { resources: [settings] } });

  it("that the state does not list becomes a record in doubt, whose id is offered", () => {
    const exported = state();
    expect(recordInterrupted(exported, left())).toMatchObject({ creates: 1 });
    expect(webhooks(exported)).toMatchObject([
      {
        urn: urnOf("orders"),
        custom: true,
        inputs: { name: "orders", __provider: expect.stringContaining("pulumi-webhooks/provider") },
        outputs: {
          url: "",
          name: "orders",
          enabled: true,
          baseUrl,
          interrupted: true,
          secretDigest: "digest",
        },
        provider: `${provider}::p1`,
      },
    ]);
    expect(findUnresolved(exported, [noted])).toMatchObject([{ resource: "orders", createdId: "42" }]);
  });

  it("at another base URL than the Provider has now is not recorded", () => {
    const { problems } = recordInterrupted(state(), left({ ...noted, account: "another" }));
    expect([...problems.values()]).toEqual([expect.stringContaining("was created at another base URL")]);
  });

  it("does not answer for a later create of the resource, on another machine", () => {
    const id = "in-doubt:2026-01-02T12:00:00.000Z-abcd";
    const exported = stateWith({ resources: [webhook("orders", { id })] });
    expect(findUnresolved(exported, [noted])[0]).not.toHaveProperty("createdId");
  });
});

describe("findUnresolved", () => {
  it("lists the webhooks of the stack that have the same name: it is none of them", () => {
    const resources = [
      webhook("late", { id: inDoubt }),
      webhook("same", { id: "7" }),
      webhook("entered too", { id: "8", outputs: { ...sent, inDoubtId: inDoubt } }),
      webhook("other", { id: "9", outputs: { ...sent, name: "Refunds" } }),
      webhook("replaced", { id: "6", delete: true }),
      // Another account may use the same id.
      webhook("eu", { id: "5", provider: `${provider}-eu::p1` }),
    ];
    const late = findUnresolved(stateWith({ resources }), []).find(({ resource }) => resource === "late");
    expect(late?.sameName).toEqual([
      { id: "7", resource: "same" },
      { id: "6", resource: "replaced" },
    ]);
  });

  it("lists what is in doubt, interrupted or has an id that was entered, and says why", () => {
    const resources = [
      webhook("healthy", { id: "1", outputs: { ...sent, name: "Healthy" } }),
      webhook("late", { id: inDoubt }),
      webhook("found", { id: "42", outputs: { ...sent, baseUrl, inDoubtId: inDoubt } }),
      webhook("dropped", { id: inDoubt, pendingReplacement: true }),
      webhook("replaced", { id: inDoubt, delete: true }),
    ];
    const url = sent.url;
    const common = { name: "Orders", url, sentAt: "2026-01-01T12:00:00Z" };
    expect(findUnresolved(stateWith({ resources, pending_operations: [pending("killed")] }), [])).toEqual([
      { ...common, urn: urnOf("found"), resource: "found", reason: "entered", id: "42" },
      { ...common, urn: urnOf("killed"), resource: "killed", reason: "killed" },
      { ...common, urn: urnOf("late"), resource: "late", reason: "no reply" },
    ]);
  });

  it("shows no secret", () => {
    const outputs = { ...sent, name: secret, url: secret, baseUrl };
    const [found] = findUnresolved(stateWith({ resources: [webhook("late", { id: inDoubt, outputs })] }), []);
    expect(found).toEqual({
      urn: urnOf("late"),
      resource: "late",
      reason: "no reply",
      sentAt: "2026-01-01T12:00:00Z",
    });
  });
});

describe("applyAnswer", () => {
  it("records the id that was found, for the next up to verify", () => {
    const record = webhook("orders", { id: inDoubt, initErrors: ["in doubt"] });
    record.outputs = { ...record.outputs, interrupted: true };
    const state = stateWith({ resources: [record] });
    applyAnswer(state, urnOf("orders"), { found: "42" });
    const outputs = { ...sent, baseUrl, interrupted: true, unconfirmed: true, inDoubtId: inDoubt };
    expect(webhooks(state)).toEqual([webhook("orders", { id: "42", outputs })]);

    // The id was wrong: another one is entered.
    applyAnswer(state, urnOf("orders"), { found: "43" });
    expect(webhooks(state)).toEqual([webhook("orders", { id: "43", outputs })]);
  });

  it.each([
    ["in doubt", { id: inDoubt }],
    ["found at a wrong id", { id: "42", outputs: { ...sent, baseUrl, inDoubtId: inDoubt } }],
  ])("removes the record of a webhook %s that does not exist", (_, fields) => {
    const state = stateWith({ resources: [webhook("orders", fields), webhook("refunds", { id: "2" })] });
    applyAnswer(state, urnOf("orders"), "none");
    expect(webhooks(state)).toEqual([webhook("refunds", { id: "2" })]);
  });

  it("brings back the webhook that was to be replaced by one that does not exist", () => {
    const old = webhook("orders", { id: "1", created: "2026-01-01T11:00:00Z" });
    const dependent = webhook("refunds", { id: "2" });
    const create = pending("orders", { created: "2026-01-01T11:00:00Z" });
    const state = stateWith({ resources: [old, dependent], pending_operations: [create] });
    applyAnswer(state, urnOf("orders"), "none");
    expect(webhooks(state)).toEqual([old, dependent]);
  });

  it("brings it back also if its record comes first, and keeps the other webhooks", () => {
    const old = webhook("orders", { id: "1", created: "2026-01-01T11:00:00Z" });
    const refunds = webhook("refunds", { id: "2" });
    const state = stateWith({
      resources: [{ ...old, delete: true }, webhook("orders", { id: inDoubt }), refunds],
    });
    applyAnswer(state, urnOf("orders"), "none");
    expect(webhooks(state)).toEqual([old, refunds]);
  });

  it("keeps a record that other resources refer to, for the engine to create it only", () => {
    const dependent = { ...webhook("refunds", { id: "2" }), dependencies: [urnOf("orders")] };
    const state = stateWith({ resources: [webhook("orders", { id: inDoubt, protect: true }), dependent] });
    applyAnswer(state, urnOf("orders"), "none");
    expect(webhooks(state)).toEqual([
      webhook("orders", { id: "none", outputs: {}, pendingReplacement: true }),
      dependent,
    ]);
    expect(findUnresolved(state, [])).toEqual([]);
  });
});

describe("the owner of an id that was found", () => {
  it("is the resource itself for the webhook that is to be replaced, even if the API has moved since", () => {
    const outputs = { ...sent, baseUrl: "https://old.example.com" };
    for (const ref of [`${provider}::p1`, `${provider}-eu::p1`]) {
      const old = webhook("orders", { id: "1", delete: true, outputs, provider: ref });
      const state = stateWith({ resources: [webhook("orders", { id: inDoubt }), old] });
      expect(findOwner(state, { urn: urnOf("orders"), id: "1" })).toMatchObject({ urn: urnOf("orders") });
    }
  });

  it("is another resource of the same Provider, even if the API has moved since", () => {
    const moved = { ...sent, baseUrl: "https://new.example.com" };
    const resources = [webhook("orders", { id: inDoubt }), webhook("refunds", { id: "42", outputs: moved })];
    expect(findOwner(stateWith({ resources }), { urn: urnOf("orders"), id: "42" })?.urn).toBe(
      urnOf("refunds"),
    );
  });

  it("is another resource at the same URL, and none at another URL", () => {
    const elsewhere = { ...sent, baseUrl: "https://eu.example.com" };
    const eu = `${provider}-eu::p1`;
    const resources = [
      webhook("orders", { id: inDoubt }),
      webhook("refunds", { id: "42" }),
      webhook("eu", { id: "43", outputs: elsewhere, provider: eu }),
      webhook("read", { id: "43", external: true }),
    ];
    const state = stateWith({ resources });
    expect(findOwner(state, { urn: urnOf("orders"), id: "42" })?.urn).toBe(urnOf("refunds"));
    expect(findOwner(state, { urn: urnOf("orders"), id: "43" })).toBeUndefined();
  });

  it("is no webhook of a Provider whose API key is another one, at the same URL", () => {
    const eu = `${provider}-eu::p1`;
    const resources = [webhook("orders", { id: inDoubt }), webhook("eu", { id: "42", provider: eu })];
    const state = stateWith({ resources });
    const ownerWith = (...keys: [string, string][]) =>
      findOwner(state, { urn: urnOf("orders"), id: "42" }, new Map(keys))?.urn;
    expect(ownerWith([`${provider}::p1`, "key"], [eu, "key of eu"])).toBeUndefined();
    // One account, with two Providers.
    expect(ownerWith([`${provider}::p1`, "key"], [eu, "key"])).toBe(urnOf("eu"));
    // A key from the environment is not in the state.
    expect(ownerWith([eu, "key of eu"])).toBe(urnOf("eu"));
  });
});
