import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import schema from "../plugin/schema.json" with { type: "json" };
import {
  COMPARED,
  FIELD_NAMES,
  FIELDS,
  INPUTS,
  type NameOf,
  OUTPUTS,
  SECRET_FIELDS,
  UPDATED,
} from "../src/record/fields.js";
import { Webhook } from "../src/webhook.js";
import { mockResources } from "./dynamic/program/program.js";
import { __provider, startProvider } from "./dynamic/provider/provider.js";
import { api, passSeconds, useSimulator } from "./lifecycle/simulator.js";
import { Plugin, toSecret } from "./plugin/plugin.js";

// Every row of the table of fields, through both providers, the simulator and the SDKs: a new field shows here what it lacks.

useSimulator();

/** The value of each input, and another one. */
const SAMPLES: Record<NameOf<"create">, [unknown, unknown]> = {
  url: ["https://example.com/a", "https://example.com/b"],
  name: ["Orders", "Refunds"],
  secret: ["whsec-canary-1", "whsec-canary-2"],
  enabled: [true, false],
};
const samples = Object.fromEntries(INPUTS.map((name) => [name, SAMPLES[name][0]]));
const settings = { drift: "probe" };
const isSecret = (name: string) => SECRET_FIELDS.some((one) => one === name);
/** Marks what is always a secret, as the engine does. */
const marked = (values: object) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(name) ? toSecret(value) : value]),
  );

/** The operations of a face, with plain values, and with what is secret in the outputs of the last one. */
const FACES = {
  dynamic: async () => {
    const provider = startProvider(settings);
    return {
      create: async (inputs: object) => {
        const { id, outs = {} } = await provider.create({ __provider, ...inputs });
        return { id, outputs: outs };
      },
      diff: (id: string, olds: object, news: object) =>
        provider.diff(id, { __provider, ...olds }, { __provider, ...news }),
      update: async (id: string, olds: object, news: object) =>
        (await provider.update(id, { ...olds }, { __provider, ...news })).outs ?? {},
      read: async (id: string, outputs: object) => (await provider.read(id, { ...outputs })).inputs ?? {},
    };
  },
  plugin: async () => {
    const plugin = await Plugin.configured({ settings });
    return {
      create: (inputs: object) => plugin.create(marked(inputs)),
      diff: async (id: string, olds: object, news: object) => {
        const { details = {}, ...diff } = await plugin.diff({ id, olds: marked(olds), news: marked(news) });
        const changed = Object.keys(news).filter(
          (name) => Reflect.get(olds, name) !== Reflect.get(news, name),
        );
        expect(Object.keys(details), "shown in a preview").toEqual(changed);
        return diff;
      },
      update: (id: string, olds: object, news: object) =>
        plugin.update({ id, olds: marked(olds), news: marked(news) }),
      read: async (id: string, outputs: object) =>
        (await plugin.read(id, { outputs: { ...outputs }, inputs: {} })).inputs,
    };
  },
};

describe.each(Object.entries(FACES))("with the provider: %s", (name, start) => {
  const shown = (values: object) => (name === "plugin" ? marked(values) : values);

  it.each(INPUTS)("a create sends the input %s, and records it", async (field) => {
    const { outputs } = await (await start()).create(samples);
    expect(api.calls[0]?.body).toMatchObject({
      [FIELDS[field].wire]: isSecret(field) ? "[secret]" : String(samples[field]),
    });
    expect(api.webhooks[0]).toMatchObject({ [field]: samples[field] });
    expect(outputs).toMatchObject(shown({ [field]: samples[field] }));
  });

  it.each(UPDATED)(
    "a change of %s updates the webhook in place, with all fields of updates",
    async (field) => {
      const face = await start();
      const { id } = await face.create(samples);
      const olds = { ...samples, baseUrl: api.url };
      const news = { ...samples, [field]: SAMPLES[field][1] };
      expect(await face.diff(id, olds, news)).toMatchObject({ changes: true });
      expect(await face.update(id, olds, news)).toMatchObject(shown(news));
      const sent = Object.fromEntries(
        UPDATED.map((one) => [FIELDS[one].wire, String(Reflect.get(news, one))]),
      );
      expect(api.calls.at(-1)?.body).toEqual({ webhook_id: id, ...sent });
      expect(api.webhooks[0]).toMatchObject(news);
    },
  );

  it.each(INPUTS.filter((one) => !UPDATED.some((other) => other === one)))(
    "a change of %s, which no update sends, replaces the webhook",
    async (field) => {
      const olds = { ...samples, baseUrl: api.url };
      const news = { ...samples, [field]: SAMPLES[field][1] };
      expect(await (await start()).diff("1", olds, news)).toMatchObject({ changes: true, replaces: [field] });
    },
  );

  it.each(OUTPUTS)("the output %s is recorded from a reply to a create", async (field) => {
    const value = FIELDS[field].type === "time" ? new Date().toISOString() : "made-canary";
    const raw = JSON.stringify({ data: { webhook: { id: 7, [FIELDS[field].wire]: value } } });
    api.inject({ operation: "create", fault: { kind: "reply", raw } });
    const { secret: _, ...inputs } = samples;
    const { outputs } = await (await start()).create(inputs);
    expect(outputs).toMatchObject(isSecret(field) ? { [field]: toSecret(value) } : { [field]: value });
  });

  it.each(COMPARED)("a refresh finds that somebody changed %s in the dashboard", async (field) => {
    const face = await start();
    const { id, outputs } = await face.create(samples);
    passSeconds(300);
    api.dashboard.edit(id, { [field]: SAMPLES[field][1] });
    passSeconds(300);
    expect(await face.read(id, outputs)).toMatchObject(shown({ [field]: SAMPLES[field][1] }));
  });
});

it("a program gets every field as an output", async () => {
  await mockResources();
  const webhook = new Webhook("orders", { url: "https://example.com" });
  for (const name of FIELD_NAMES) expect(pulumi.Output.isInstance(webhook[name]), name).toBe(true);
});

it("the SDKs have every field, the secret ones as secrets", () => {
  const { inputProperties, properties } = schema.resources["webhooks:index:Webhook"];
  const secretsIn = (declared: object) =>
    Object.entries(declared).flatMap(([name, property]) => (property.secret ? name : []));
  expect(Object.keys(inputProperties).toSorted()).toEqual(INPUTS.toSorted());
  expect(Object.keys(properties).toSorted()).toEqual(FIELD_NAMES.toSorted());
  expect(secretsIn(properties)).toEqual(SECRET_FIELDS);
  expect(secretsIn(inputProperties)).toEqual(INPUTS.filter(isSecret));
});
