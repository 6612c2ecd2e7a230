import { describe, expect, it } from "vitest";
import { Stack } from "./stack.js";

// Two resources with the same url, name and secret are two resources. With --continue-on-error, SDKs up to 3.250 delete
// what was replaced although a replacement failed; with newer ones the program fails first.

const webhook = (nameExpression: string, secret: string, options = "{}") =>
  `new webhooks.Webhook(${nameExpression}, { url: "https://example.com/a", name: "Orders", secret: pulumi.secret("${secret}") }, ${options});\n`;
const twin = (resource: string, secret: string, options = "{}") =>
  webhook(JSON.stringify(resource), secret, options);
const twins = (secret: string) => twin("one", secret) + twin("two", secret);

const NO_REPLY = { kind: "reset", when: "before commit" } as const;
/** With it, and a create that hangs, both creates of twins are sent before one of them fails. */
const PATIENT = { "webhooks:timeoutSeconds": "3" };

describe.each([
  { face: "dynamic", sdk: "oldest", deletesAfterError: true },
  { face: "dynamic", sdk: "newest", deletesAfterError: false },
  { face: "plugin", sdk: "oldest", deletesAfterError: true },
] as const)("with the $sdk SDK ($face)", ({ face, sdk, deletesAfterError }) => {
  const create = (program: string, config?: Record<string, string>) =>
    Stack.create({ face, program, sdk, ...(config !== undefined && { config }) });

  it("creates a webhook whose twin is in doubt", async () => {
    await using stack = await create(twins("first"));
    stack.api.inject({ operation: "create", fault: NO_REPLY });
    await stack.upFails("--continue-on-error", "--parallel", "1");
    expect(stack.takeCalls()).toEqual(["create Orders -> no reply", "create Orders"]);
    const [created, ...inDoubt] = (await read(stack)).toSorted((a, b) => a.id.localeCompare(b.id));
    expect(created?.id).toBe("1");
    expect(inDoubt.map(({ id }) => id)).toEqual([expect.stringMatching(/^in-doubt:/)]);

    await resolve(stack, "--none", inDoubt[0]?.resource);
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders"]);
    await stack.expectNoChanges();
  });

  it("deletes the old webhook of one that was replaced while the replacement of its twin is in doubt", async () => {
    await using stack = await create(twins("first"), PATIENT);
    await stack.up();
    const old = idsOf(await read(stack));
    stack.takeCalls();
    await stack.declare(twins("second"));
    stack.api.inject({ operation: "create", fault: { kind: "hang", commit: false } });
    await stack.upFails("--continue-on-error");

    const current = idsOf(await read(stack));
    const isInDoubt = (id = "") => id.startsWith("in-doubt:");
    const [inDoubt = "", healthy = ""] = isInDoubt(current.one) ? ["one", "two"] : ["two", "one"];
    expect(isInDoubt(current[inDoubt])).toBe(true);
    expect(current[healthy]).toBe("3");
    const kept = [old[inDoubt], ...(deletesAfterError ? [] : [old[healthy]]), "3"].sort();
    expect(stack.api.webhooks.map(({ id }) => id)).toEqual(kept);

    await resolve(stack, "--none", inDoubt);
    await stack.up();
    expect(stack.api.webhooks.map(({ id }) => id)).toEqual(["3", "4"]);
    await stack.expectNoChanges();
  });

  it("keeps the old webhook of a component while its replacement is in doubt, and that of its twin is found", async () => {
    await using stack = await create(components("first"), PATIENT);
    await stack.up();
    const old = idsOf(await read(stack));
    await stack.declare(components("second"));
    stack.api.inject({ operation: "create", times: 2, fault: { kind: "hang", commit: true } });
    await stack.upFails("--continue-on-error");
    expect(stack.api.webhooks.map(({ id }) => id)).toEqual(["1", "2", "3", "4"]);
    stack.takeCalls();

    await resolve(stack, "--found", "one=3");
    await stack.upFails("--continue-on-error");
    const deleted = deletesAfterError ? [`delete ${old.one}`] : [];
    expect(stack.takeCalls()).toEqual(["update 3", ...deleted]);

    await resolve(stack, "--found", "two=4");
    await stack.up("--continue-on-error");
    expect(stack.api.webhooks.map(({ id }) => id)).toEqual(["3", "4"]);
    await stack.expectNoChanges();
  });

  it("keeps the old webhook while its replacement is in doubt, and another webhook is updated to the same fields", async () => {
    const other = (path: string) =>
      `new webhooks.Webhook("other", { url: "https://example.com/${path}", name: "Orders", secret: pulumi.secret("second") });\n`;
    await using stack = await create(twin("one", "first") + other("b"));
    await stack.up();
    const old = idsOf(await read(stack));
    await stack.declare(twin("one", "second") + other("b"));
    stack.api.inject({ operation: "create", fault: NO_REPLY });
    await stack.upFails("--continue-on-error");
    stack.takeCalls();

    await stack.declare(twin("one", "second") + other("a"));
    await stack.upFails("--continue-on-error");
    expect(stack.takeCalls()).toEqual([`update ${old.other}`]);

    await resolve(stack, "--none", "one");
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders", `delete ${old.one}`]);
    await stack.expectNoChanges();
  });

  it.each([
    ["a transformation of the resource", "", "{ transformations: [alias] }"],
    ["a transform of the resource", "", "{ transforms: [alias] }"],
    ["a transformation of the stack", "pulumi.runtime.registerStackTransformation(alias);\n", "{}"],
  ])(
    "keeps the only webhook while its replacement is in doubt, and %s renames the resource",
    async (_, registered, options) => {
      await using stack = await create(twin("orders", "first"));
      await stack.up();
      await stack.declare(twin("orders", "second"));
      stack.api.inject({ operation: "create", fault: NO_REPLY });
      await stack.upFails("--continue-on-error");
      stack.takeCalls();

      await stack.declare(ALIAS + registered + twin("renamed", "second", options));
      // The engine tells the plugin the id of what was renamed.
      const [refusal, recordedAs] =
        face === "plugin"
          ? ["an earlier run got no clear reply", "renamed"]
          : ["was renamed while it is in doubt", "orders"];
      for (const _time of [1, 2]) {
        expect(await stack.upFails("--continue-on-error")).toContain(refusal);
        expect(stack.takeCalls()).toEqual([]);
        expect(stack.api.webhooks).toMatchObject([{ id: "1", secret: "first" }]);
      }

      await resolve(stack, "--none", recordedAs);
      await stack.up();
      expect(stack.takeCalls()).toEqual(["create Orders", "delete 1"]);
      await stack.expectNoChanges();
    },
  );
});

/** Two components that declare the same webhook. */
function components(secret: string): string {
  return `
    class Orders extends pulumi.ComponentResource {
      constructor(name: string) {
        super("test:index:Orders", name);
        ${webhook("name", secret, "{ parent: this }")}
      }
    }
    new Orders("one");
    new Orders("two");
  `;
}

/** A transformation, or a transform, that renames the webhook. */
const ALIAS = `
  const alias = ({ type, props, opts }: any) =>
    type === webhooks.Webhook.__pulumiType
      ? { props, opts: pulumi.mergeOptions(opts, { aliases: [{ name: "orders" }] }) }
      : undefined;
`;

interface Current {
  resource: string;
  id: string;
}

/** Reads the ids that the resources are recorded under. */
async function read(stack: Stack): Promise<Current[]> {
  const recorded = await stack.recorded();
  return recorded
    .filter((record) => !record.delete)
    .map(({ urn, id }) => ({ resource: urn.slice(urn.lastIndexOf("::") + 2), id }));
}

function idsOf(current: readonly Current[]): Record<string, string> {
  return Object.fromEntries(current.map(({ resource, id }) => [resource, id]));
}

async function resolve(stack: Stack, option: string, answer = ""): Promise<void> {
  const { code, output } = await stack.webhooks("resolve", "--stack", "dev", option, answer);
  // It is 1 while another webhook is unresolved.
  expect(output).not.toContain("Usage");
  expect([0, 1]).toContain(code);
}
