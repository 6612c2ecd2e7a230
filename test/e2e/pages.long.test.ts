import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import schema from "../../plugin/schema.json" with { type: "json" };
import { startSimulator } from "../../simulator/src/index.js";
import { idOf, takeCalls } from "../calls.js";
import { cloneTo, createMachine } from "../support/machines.js";
import { add, Pages, type Reader, runLine } from "../support/page.js";
import { NEXT, serveRelease } from "../support/release.js";
import { KEY, SECRET } from "../support/stack.js";

const EU_KEY = "key-of-eu";
const behavior = { emptyUpdate: "leaves updated_at" } as const;

/** The program of each page, and how to declare a webhook in it. */
const LANGUAGES = {
  python: {
    program: "__main__.py",
    webhook: 'webhooks.Webhook("invoices", url="https://example.com/invoices")\n',
  },
  go: {
    program: "main.go",
    webhook: `	_, err = webhooks.NewWebhook(ctx, "invoices", &webhooks.WebhookArgs{Url: pulumi.String("https://example.com/invoices")})
	if err != nil {
		return err
	}
`,
  },
  yaml: {
    program: "Pulumi.yaml",
    webhook:
      "resources: { invoices: { type: webhooks:Webhook, properties: { url: https://example.com/invoices } } }\n",
  },
};

describe.each(["python", "go", "yaml"] as const)("docs/%s.md and docs/languages.md", (language) => {
  it("lead from an empty folder to an upgrade, on two machines without Node.js", async () => {
    await using release = await serveRelease();
    const api = await startSimulator({ apiKey: KEY, behavior });
    const eu = await startSimulator({ apiKey: EU_KEY, behavior });
    const instead: Record<string, string> = {
      "https://api.example.com/v1": api.url,
      "https://eu.example.com/v1": eu.url,
    };
    const answers: Record<string, string> = { "webhooks:apiKey": KEY, hookSecret: SECRET, euApiKey: EU_KEY };
    const first: Reader = { ...(await createMachine(release.environment)), instead, answers };
    await runLine("node --version", { ...first, code: 127 });
    const pages = new Pages(`docs/${language}.md`, "docs/languages.md");
    const read = (title: string, reader = first) => pages.follow(title, reader);
    const names = () => api.webhooks.map(({ name }) => name).toSorted();

    await read("Make a project");
    await read("Configure and deploy");
    expect(names()).toEqual(["Orders", "refunds"]);

    const second = await cloneTo(release.environment, first);
    expect(await read("A colleague, or another machine", second)).toContain("3 unchanged");
    const orders = idOf(api, "Orders");
    answers.hookSecret = "whsec-canary-rotated";
    takeCalls(api);
    await read("Change a webhook", second);
    expect(takeCalls(api)).toEqual(["create Orders", `delete ${orders}`]);
    if (language !== "yaml") await read("Test the program", second);
    await read("Use a second account", second);
    expect(takeCalls(eu)).toEqual(["create eu-orders"]);

    const { id: legacy } = api.dashboard.create({ url: "https://example.com", name: "Old", enabled: false });
    instead["4711"] = legacy;
    await read("Import a webhook", second);
    expect(takeCalls(api)).toEqual([`update ${legacy}`]);

    api.dashboard.edit(idOf(api, "Orders"), { name: "Do not touch" });
    const drift = await read("Find drift", second);
    expect(drift).toContain('"Do not touch" => "Orders"');
    expect(names()).toContain("Orders");
    api.dashboard.edit(idOf(api, "refunds"), { name: "Do not touch" });
    expect(await runLine("pulumi preview --refresh --run-program --diff", second)).toContain(
      '"Do not touch" => "refunds"',
    );
    await read("Deploy from a pipeline", second);

    await release.publish(NEXT);
    const pinned = join(second.folder, language === "python" ? "requirements.txt" : "Pulumi.yaml");
    await writeFile(pinned, (await readFile(pinned, "utf8")).replace(schema.version, NEXT));
    await read("Upgrade", second);
    // Pulumi names the provider that it makes for each version after it.
    const [old, next] = [schema.version, NEXT].map((version) => `default_${version.replaceAll(".", "_")}_`);
    const upgraded = await runLine("pulumi stack export", second);
    expect(upgraded).toContain(next);
    expect(upgraded).not.toContain(old);

    const { program, webhook } = LANGUAGES[language];
    const file = join(second.folder, program);
    await writeFile(file, add(program, await readFile(file, "utf8"), webhook));
    api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    expect(await runLine("pulumi up", { ...second, code: 1 })).toContain(
      `resource-webhooks-v${NEXT}/pulumi-resource-webhooks resolve --stack dev`,
    );
    const state = await runLine("pulumi stack export", second);
    for (const secret of [KEY, SECRET, ...Object.values(answers)]) expect(state).not.toContain(secret);
    expect(pages.left).toEqual(["The plugin"]);
    await api.close();
    await eu.close();
  });
});
