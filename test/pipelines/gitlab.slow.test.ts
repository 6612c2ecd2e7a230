import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { takeCalls } from "../calls.js";
import { startChat } from "./chat.js";
import { runJob } from "./gitlab.js";
import { expectSuccess, Machine } from "./machine.js";
import { KEYS, PASSPHRASE, prepare, useRepositories } from "./repository.js";

// The jobs of examples/pipelines/gitlab, and the drift check of kubernetes-operator, with the state on S3. The workflows of
// GitHub, which run the same commands, are tested with runs that are killed.

const create = useRepositories(() => prepare("pipelines/gitlab"));

it("previews, deploys to dev and production, finds drift, restores, and recovers by answers that are data, never code", async () => {
  await using repository = await create();
  await using chat = await startChat();
  const { dev, production } = repository.apis;
  const check = await runJob(repository, "check");
  expectSuccess(check);
  expect(check.log).toContain("+ 3 to create");
  expectSuccess(await runJob(repository, "up-dev"));
  expectSuccess(await runJob(repository, "up-production"));
  expect(repository.webhooks("dev")).toContain("Orders https://shop.dev.example.com/hooks/orders");
  expect(repository.webhooks("production")).toContain("Orders https://shop.example.com/hooks/orders");

  expectSuccess(await runJob(repository, "drift"));
  production.dashboard.edit(repository.idOf("Orders"), { name: "Do not touch" });
  const drift = await runJob(repository, "drift", { ALERT_URL: chat.url });
  expect(drift.outcome).toBe("failed");
  expect(drift.log).toContain("DRIFT. To undo it, start the job restore of this pipeline.");
  expect(chat.messages.splice(0)).toEqual([expect.stringContaining("The drift check of production failed")]);
  expectSuccess(await runJob(repository, "restore"));
  expect(repository.webhooks("production")).toContain("Orders https://shop.example.com/hooks/orders");

  takeCalls(production);
  await repository.addInvoices();
  const diff = await runJob(repository, "diff");
  expectSuccess(diff);
  expect(diff.log).toContain("+ 1 to create");
  expect(takeCalls(production)).toEqual([]);
  production.inject({ operation: "create", fault: { kind: "status", status: 500, commit: true } });
  const failed = await runJob(repository, "up-production", { ALERT_URL: chat.url });
  expect(failed.outcome).toBe("failed");
  expect(failed.log).toContain("invoices: unresolved.");
  expect(failed.log).toContain("start the job recover-production with the variable FOUND or NONE");
  expect(chat.messages).toEqual([expect.stringContaining("production has unresolved webhooks.")]);
  expect(failed.log).not.toContain(chat.url);

  const executed = join(repository.folder, "executed");
  const hostile = `$(touch ${executed}) \`touch ${executed}\` "; touch ${executed}; " * --accept`;
  expect((await runJob(repository, "recover-production", { FOUND: hostile, NONE: hostile })).log).toContain(
    "Nothing was resolved.",
  );
  expect(existsSync(executed)).toBe(false);
  const id = repository.idOf("invoices");
  expectSuccess(await runJob(repository, "recover-production", { FOUND: `invoices=${id}`, UNLOCK: "true" }));
  takeCalls(production);
  expectSuccess(await runJob(repository, "up-production"));
  expect(takeCalls(production)).toEqual([]);
  expect(production.webhooks).toHaveLength(3);
  expect(dev.webhooks).toHaveLength(2);
});

it("the drift check of the Kubernetes operator clones the program, and exits with 0 or 7", async () => {
  await using repository = await create();
  await repository.commit();
  expectSuccess(await runJob(repository, "up-production"));
  const file = join(import.meta.dirname, "../../examples/pipelines/kubernetes-operator/drift.yaml");
  const { containers } = parse(readFileSync(file, "utf8")).spec.jobTemplate.spec.template.spec;
  const [{ args }] = containers;
  const environment = {
    ...repository.backend,
    REPOSITORY: `file://${repository.folder}`,
    STACK: "production",
    GIT_TOKEN: "token",
    PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
    WEBHOOKS_API_KEY: KEYS.production,
  };
  const { production } = repository.apis;
  for (const code of [0, 7]) {
    await using machine = new Machine(`${repository.folder}-pod-${code}`);
    if (code === 7) production.dashboard.edit(repository.idOf("Orders"), { enabled: false });
    const ended = await machine.run({ text: repository.withInstalled(args[0]), options: [], environment });
    expect(ended, machine.log).toBe(code);
  }
});
