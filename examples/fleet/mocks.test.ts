// Checks what a team's file declares, without an engine and without an API.
import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";
import { beforeAll, expect, test } from "vitest";
import { Team } from "./team";
import { parseTeamFile } from "./team-file";

const declared = new Map<string, pulumi.runtime.MockResourceArgs>();

beforeAll(async () => {
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      declared.set(resource.name, resource);
      return { id: `id of ${resource.name}`, state: resource.inputs };
    },
    call: ({ inputs }) => inputs,
  });
  pulumi.runtime.setAllConfig({ "project:ordersSecret": "a secret" });
});

test("a webhook gets the account, the URL and the secret that the file names", async () => {
  const { data, problems } = parseTeamFile(
    "teams/shop.yaml",
    `webhooks:
       orders: { account: eu, url: "https://example.com/orders", secret: ordersSecret }
       returns: { account: us, url: "https://example.com/returns", name: Returns, enabled: false }`,
  );
  expect(problems).toEqual([]);

  const createAccount = (name: string) =>
    new webhooks.Provider(name, { baseUrl: `https://${name}.test`, apiKey: "a key" });
  const accounts = { us: createAccount("us"), eu: createAccount("eu") };
  const { ids } = new Team("shop", { webhooks: data?.webhooks ?? {}, accounts });
  await new Promise((resolve) => pulumi.all(ids).apply(resolve));

  expect(declared.get("shop/orders")).toMatchObject({
    inputs: {
      url: "https://example.com/orders",
      name: "shop/orders",
      enabled: true,
      secret: expect.objectContaining({ value: "a secret" }),
    },
    provider: expect.stringMatching(/::eu::/),
  });
  expect(declared.get("shop/returns")).toMatchObject({
    inputs: { url: "https://example.com/returns", name: "Returns", enabled: false },
    provider: expect.stringMatching(/::us::/),
  });
});

test("a problem names the file, the line and the key", () => {
  const { problems } = parseTeamFile("teams/shop.yaml", "webhooks:\n  orders:\n    account: asia\n");
  expect(problems).toEqual([
    'teams/shop.yaml:3 webhooks.orders.account: Invalid option: expected one of "us"|"eu"',
    "teams/shop.yaml:2 webhooks.orders.url: This key is required",
  ]);
});
