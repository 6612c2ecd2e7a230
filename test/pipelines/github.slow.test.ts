import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import { isAbout, receive, takeCalls } from "../calls.js";
import { whileRunning } from "../support/kill.js";
import { startChat } from "./chat.js";
import type { Job } from "./github.js";
import { drift, recover, runJob, startJob, up } from "./github.js";
import { expectSuccess } from "./machine.js";
import type { Repository } from "./repository.js";
import { KEYS, PASSPHRASE, prepare, SECRET, useRepositories } from "./repository.js";

// The workflows of examples/pipelines/github, step by step, with the state on S3.

const create = useRepositories(() => prepare("pipelines/github"));

const isInvoices = isAbout("invoices");

/** Starts a deployment of production, and waits until the API has received the create of the last webhook. */
async function startUp(repository: Repository, fault: Fault): Promise<Job> {
  await repository.addInvoices();
  const arrived = receive(repository.apis.production, { fault, match: isInvoices });
  const job = await startJob(repository, up());
  await whileRunning(job, arrived);
  return job;
}

/** Deploys. Expects each webhook once, and nothing to do or to ask. */
async function expectDeployed(
  repository: Repository,
  names = ["Orders", "Refunds", "invoices"],
): Promise<void> {
  expectSuccess(await runJob(repository, up()));
  expect(repository.webhooks("production")).toEqual(
    names.map((name) => `${name} https://shop.example.com/hooks/${name.toLowerCase()}`),
  );
  takeCalls(repository.apis.production);
  expectSuccess(await runJob(repository, drift));
}

it("previews, deploys to dev and production, finds drift and restores", async () => {
  await using repository = await create();
  const { production } = repository.apis;
  const preview = await runJob(repository, { workflow: "preview", job: "check" });
  expectSuccess(preview);
  expect(preview.log).toContain("+ 3 to create");
  expectSuccess(await runJob(repository, up({}, { stack: "dev" })));
  expect(repository.webhooks("dev")).toEqual([
    "Orders https://shop.dev.example.com/hooks/orders",
    "Refunds https://shop.dev.example.com/hooks/refunds",
  ]);
  await expectDeployed(repository, ["Orders", "Refunds"]);

  await repository.edit('name: "Refunds"', 'name: "Returns"');
  const diff = await runJob(repository, { workflow: "diff", job: "preview", environment: "preview" });
  expectSuccess(diff);
  for (const shown of [diff.outputs.text, diff.summary]) expect(shown).toContain('"Refunds" => "Returns"');
  expect(takeCalls(production).filter((call) => !call.startsWith("update"))).toEqual([]);
  expectSuccess(await runJob(repository, up()));
  expect(takeCalls(production)).toEqual([`update ${repository.idOf("Returns")}`]);

  await using chat = await startChat();
  production.dashboard.edit(repository.idOf("Orders"), { enabled: false });
  const found = await runJob(repository, { ...drift, secrets: { ALERT_URL: chat.url } });
  expect(found.outcome).toBe("failure");
  expect(found.summary).toContain("### Drift\n");
  expect(chat.messages).toEqual([
    expect.stringContaining("Drift in the webhooks of production. To undo it,"),
  ]);
  expect(production.webhooks).toContainEqual(expect.objectContaining({ name: "Orders", enabled: false }));
  expectSuccess(await runJob(repository, up({ restore: true })));
  expect(production.webhooks).toContainEqual(expect.objectContaining({ name: "Orders", enabled: true }));
});

it("reports a create that got a 500, posts an alert, and recovers by answers that are data, never code", async () => {
  await using repository = await create();
  await using chat = await startChat();
  const { production } = repository.apis;
  await repository.addInvoices();
  const fault = { kind: "status", status: 500, commit: true } as const;
  production.inject({ operation: "create", match: isInvoices, fault });
  const failed = await runJob(repository, { ...up(), secrets: { ALERT_URL: chat.url } });
  expect(failed.outcome).toBe("failure");
  expect(failed.summary).toContain("### production has unresolved webhooks\n");
  expect(failed.summary).toContain("    invoices: unresolved.");
  expect(failed.summary).toMatch(/sent at about \d{4}-\d\d-\d\dT/);
  expect(failed.summary).toContain("https://shop.example.com/hooks/invoices");
  expect(failed.summary).toContain("https://github.com/acme/webhooks/actions/workflows/recover.yml");
  expect(failed.log).toContain("::error title=production has unresolved webhooks::Look for each of them");
  expect(chat.messages).toEqual([
    expect.stringMatching(
      /^production has unresolved webhooks\. Look for .*recover\.yml \S+\/actions\/runs\/1$/,
    ),
  ]);
  for (const secret of [KEYS.production, PASSPHRASE, SECRET, chat.url])
    expect(failed.log + failed.summary).not.toContain(secret);

  takeCalls(production);
  const again = await runJob(repository, up());
  expect(again.outcome).toBe("failure");
  expect(takeCalls(production)).toEqual([]);

  const executed = join(repository.folder, "executed");
  const hostile = `$(touch ${executed}) \`touch ${executed}\` "; touch ${executed}; " * --accept`;
  for (const inputs of [{ found: hostile }, { none: hostile }]) {
    const refused = await runJob(repository, recover(inputs));
    expect(refused.outcome, refused.log).toBe("failure");
    expect(refused.summary).toContain("### Nothing was resolved in production\n");
  }
  expect(existsSync(executed)).toBe(false);
  const listed = await runJob(repository, recover({}));
  expect(listed.summary).toContain("### production has unresolved webhooks\n");
  const right = await runJob(repository, recover({ found: `invoices=${repository.idOf("invoices")}` }));
  expectSuccess(right);
  expect(right.summary).toContain("### Nothing is unresolved in production\n");
  await expectDeployed(repository);
});

it("recovers a deployment that was cancelled", async () => {
  await using repository = await create();
  const { machine, ended } = await startUp(repository, { kind: "hang", commit: true });
  await machine.cancel();
  const { outcome, summary, log } = await ended;
  expect(outcome).toBe("cancelled");
  expect(summary, log).toContain("    invoices: unresolved.");
  expectSuccess(await runJob(repository, recover({ found: `invoices=${repository.idOf("invoices")}` })));
  await expectDeployed(repository);
});

it("unlocks and recovers a deployment whose machine was lost", async () => {
  await using repository = await create();
  const { machine, ended } = await startUp(repository, { kind: "hang", commit: false });
  await machine.lose();
  await ended;
  takeCalls(repository.apis.production);
  for (const _ of ["one deployment", "and the next"]) {
    const locked = await runJob(repository, up());
    expect(locked.outcome).toBe("failure");
    expect(locked.log).toContain("the stack is currently locked");
  }
  expect(takeCalls(repository.apis.production)).toEqual([]);
  expectSuccess(await runJob(repository, recover({ none: "invoices", unlock: true })));
  await expectDeployed(repository);
});
