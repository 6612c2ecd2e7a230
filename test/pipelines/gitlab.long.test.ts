import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { isAbout, receive, takeCalls } from "../calls.js";
import { whileRunning } from "../support/kill.js";
import { startChat } from "./chat.js";
import { runJob, startJob } from "./gitlab.js";
import { expectSuccess, Machine } from "./machine.js";
import { prepare, secretsOf, useRepositories } from "./repository.js";

// The jobs of examples/pipelines/gitlab, and the drift check of kubernetes-operator, with the state on S3. The workflows of
// GitHub, which run the same commands, are tested with runs that are killed.

const create = useRepositories(() => prepare("pipelines/gitlab"));

it("previews, deploys to dev and production, finds drift, restores, and recovers", async () => {
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
  const drift = await runJob(repository, "drift", { entered: { ALERT_URL: chat.url } });
  expect(drift.outcome).toBe("failure");
  expect(drift.log).toContain("DRIFT. To undo it, start the job restore of this pipeline.");
  expect(chat.messages.splice(0)).toEqual([expect.stringContaining("production: DRIFT. To undo it,")]);
  expectSuccess(await runJob(repository, "restore"));
  expect(repository.webhooks("production")).toContain("Orders https://shop.example.com/hooks/orders");

  takeCalls(production);
  await repository.addInvoices();
  const diff = await runJob(repository, "diff");
  expectSuccess(diff);
  expect(diff.log).toContain("+ 1 to create");
  expect(takeCalls(production)).toEqual([]);
  production.inject({ operation: "create", fault: { kind: "status", status: 500, commit: true } });
  const failed = await runJob(repository, "up-production", { entered: { ALERT_URL: chat.url } });
  expect(failed.outcome).toBe("failure");
  expect(failed.log).toContain("invoices: unresolved.");
  expect(chat.messages).toEqual([expect.stringContaining("production has unresolved webhooks\nLook for")]);
  expect(failed.log).not.toContain(chat.url);

  const recover = (entered: Record<string, string>) => runJob(repository, "recover-production", { entered });
  expect((await recover({ UNLOCK: "true" })).log).toContain("\nNONE=invoices\n");
  production.dashboard.delete(repository.idOf("invoices"));
  expectSuccess(await recover({ NONE: "invoices" }));
  takeCalls(production);
  expectSuccess(await runJob(repository, "up-production"));
  expect(takeCalls(production)).toEqual(["create invoices"]);
  expect(production.webhooks).toHaveLength(3);
  expect(dev.webhooks).toHaveLength(2);
});

it("refuses an old commit, and alerts that a runner was lost", async () => {
  await using repository = await create();
  await using chat = await startChat();
  const { production } = repository.apis;
  const first = await repository.head();
  const entered = { ALERT_URL: chat.url };
  expectSuccess(await runJob(repository, "up-production"));
  await repository.addInvoices();
  takeCalls(production);
  const old = await runJob(repository, "up-production", { entered, commit: first });
  expect(old.outcome).toBe("failure");
  expect(old.log).toContain("is not the newest commit, and nothing was changed.");
  expect(takeCalls(production)).toEqual([]);
  expect(chat.messages).toEqual([]);

  const arrived = receive(production, { fault: { kind: "hang", commit: true }, match: isAbout("invoices") });
  const job = await startJob(repository, "up-production", { entered });
  await whileRunning(job, arrived);
  await job.machine.lose();
  await job.ended;
  expect(chat.messages.splice(0)).toEqual([
    expect.stringContaining("Start the job recover-production with the variable UNLOCK=true"),
  ]);
  const locked = await runJob(repository, "up-production", { entered });
  expect(locked.outcome).toBe("failure");
  expect(chat.messages).toEqual([expect.stringContaining("production is locked\n")]);
});

it("the drift check of the Kubernetes operator clones the program, and exits with 0 or 7", async () => {
  await using repository = await create();
  expectSuccess(await runJob(repository, "up-production"));
  const file = join(import.meta.dirname, "../../examples/pipelines/kubernetes-operator/drift.yaml");
  const { containers } = parse(readFileSync(file, "utf8")).spec.jobTemplate.spec.template.spec;
  const [{ args }] = containers;
  const environment = {
    ...repository.place.backends.production,
    REPOSITORY: `file://${repository.folder}`,
    STACK: "production",
    GIT_TOKEN: "token",
    ...secretsOf("production"),
  };
  const { production } = repository.apis;
  for (const code of [0, 7]) {
    await using machine = new Machine(`${repository.folder}-pod-${code}`);
    if (code === 7) production.dashboard.edit(repository.idOf("Orders"), { enabled: false });
    const ended = await machine.run({ text: repository.withInstalled(args[0]), options: [], environment });
    expect(ended, machine.log).toBe(code);
  }
});
