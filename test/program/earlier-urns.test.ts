import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, it } from "vitest";
import { findEarlierUrns } from "../../src/program/earlier-urns.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";

class Component extends pulumi.ComponentResource {
  constructor(name: string, options?: pulumi.ComponentResourceOptions) {
    super("test:Component", name, {}, options);
  }
}

beforeEach(async () => {
  await pulumi.runtime.setMocks(
    { call: () => ({}), newResource: ({ name, inputs }) => ({ id: name, state: inputs }) },
    "test",
    "dev",
    true,
  );
});

const find = (aliases: pulumi.ResourceOptions["aliases"], parent: pulumi.Resource = new Component("stack")) =>
  findEarlierUrns({ name: "orders", parent, aliases });
const at = (path: string) => `urn:pulumi:dev::test::${path}`;

it("finds earlier URNs, names, parents, projects and stacks", async () => {
  expect(
    await find([
      at(`${WEBHOOK_TYPE}::urn`),
      pulumi.output(at(`${WEBHOOK_TYPE}::output`)),
      { name: "old" },
      { name: Promise.resolve("top"), parent: pulumi.rootStackResource },
      { parent: new Component("other-parent"), name: "moved" },
      { parent: pulumi.rootStackResource, project: "p", stack: "s" },
    ]),
  ).toEqual([
    at(`${WEBHOOK_TYPE}::urn`),
    at(`${WEBHOOK_TYPE}::output`),
    at(`test:Component$${WEBHOOK_TYPE}::old`),
    at(`${WEBHOOK_TYPE}::top`),
    at(`test:Component$${WEBHOOK_TYPE}::moved`),
    `urn:pulumi:s::p::${WEBHOOK_TYPE}::orders`,
  ]);
});

it("finds the URN below the earlier name of the parent", async () => {
  const parent = new Component("team", { aliases: [{ name: "group", type: "test:Group" } as pulumi.Alias] });
  expect(await find(undefined, parent)).toEqual([at(`test:Group$${WEBHOOK_TYPE}::orders`)]);
});

it("skips an alias that a preview does not know yet", async () => {
  const unknown = pulumi.output(pulumi.unknown as unknown as string);
  expect(await find([unknown, { name: unknown }, { name: "old" }])).toEqual([
    at(`test:Component$${WEBHOOK_TYPE}::old`),
  ]);
});

it("finds none without aliases", async () => {
  expect(await find(undefined)).toEqual([]);
});
