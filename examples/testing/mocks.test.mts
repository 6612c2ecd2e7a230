// Checks what the program declares, without an engine and without an API.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as pulumi from "@pulumi/pulumi";

test("every webhook has an https URL and a secret", async () => {
  const webhooks: pulumi.runtime.MockResourceArgs[] = [];
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      // Its type, not that of a component or of another provider's resource.
      if (resource.type === "pulumi-nodejs:dynamic/webhooks:Webhook") webhooks.push(resource);
      return { id: "1", state: resource.inputs };
    },
    call: ({ inputs }) => inputs,
  });
  pulumi.runtime.setAllConfig({ "project:hookSecret": "a secret" });

  // Wait for an output of each webhook: here, of all that the program exports.
  const outputs = { ...(await import("./index.ts")) };
  await new Promise((resolve) => pulumi.output(outputs).apply(resolve));

  for (const { name, inputs } of webhooks) {
    assert.match(inputs.url, /^https:/, name);
    assert.ok(inputs.secret, name);
  }
  assert.equal(webhooks.length, 1);
});
