import { expect, it } from "vitest";
import type { Fault } from "../../simulator/src/index.js";
import { isAbout, receive, takeCalls } from "../calls.js";
import { whileRunning } from "../support/kill.js";
import { startChat } from "./chat.js";
import { drift, type Ended, recover, runJob, startJob, up } from "./github.js";
import { expectSuccess, type Job } from "./machine.js";
import { KEYS, PASSPHRASES, prepare, type Repository, SECRET, useRepositories } from "./repository.js";

// The workflows of examples/pipelines/github, step by step, with the state on S3.

const create = useRepositories(() => prepare("pipelines/github"));

const isInvoices = isAbout("invoices");

/** Starts a deployment of production, and waits until the API has received the create of the last webhook. */
async function startUp(repository: Repository, fault: Fault, secrets = {}): Promise<Job<Ended>> {
  await repository.addInvoices();
  const arrived = receive(repository.apis.production, { fault, match: isInvoices });
  const job = await startJob(repository, { ...up(), secrets });
  await whileRunning(job, arrived);
  return job;
}

/** Deploys. Expects each webhook once, and nothing to do or to ask. */
async function expectDeployed(repository: Repository, names = ["Orders", "Refunds", "invoices"]) {
  expectSuccess(await runJob(repository, up()));
  expect(repository.webhooks("production")).toEqual(
    names.map((name) => `${name} https://shop.example.com/hooks/${name.toLowerCase()}`),
  );
  takeCalls(repository.apis.production);
  expectSuccess(await runJob(repository, drift));
}

it("previews, deploys, finds drift, restores, creates a webhook again that is gone, and refuses an old commit", async () => {
  await using repository = await create();
  const { production } = repository.apis;
  const first = await repository.head();
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
  expect(chat.messages).toEqual([expect.stringContaining("Drift in the webhooks of production\nTo undo it")]);
  expect(production.webhooks).toContainEqual(expect.objectContaining({ name: "Orders", enabled: false }));
  expectSuccess(await runJob(repository, up({ restore: true })));
  expect(production.webhooks).toContainEqual(expect.objectContaining({ name: "Orders", enabled: true }));

  // For its first two minutes, no webhook is believed gone.
  production.behavior.clockSkewSeconds += 300;
  production.dashboard.delete(repository.idOf("Orders"));
  expectSuccess(await runJob(repository, up({ replace: "orders" })));
  expect(production.webhooks.map(({ name }) => name)).toEqual(["Returns", "Orders"]);

  takeCalls(production);
  chat.messages.length = 0;
  const old = await runJob(repository, { ...up(), secrets: { ALERT_URL: chat.url }, commit: first });
  expect(old.outcome).toBe("failure");
  expect(old.summary).toContain("is not the newest commit, and nothing was changed\n");
  expect(takeCalls(production)).toEqual([]);
  expect(chat.messages).toEqual([]);
});

it("recovers a deployment that was cancelled, whose webhook is unresolved", async () => {
  await using repository = await create();
  await using chat = await startChat();
  const { production } = repository.apis;
  const hang = { kind: "hang", commit: true } as const;
  const { machine, ended } = await startUp(repository, hang, { ALERT_URL: chat.url });
  await machine.cancel();
  const { outcome, summary, log } = await ended;
  expect(outcome).toBe("cancelled");
  expect(summary, log).toContain("    invoices: unresolved.");
  expect(log).toContain("::error title=production has unresolved webhooks::Look for each of them");
  for (const secret of [KEYS.production, PASSPHRASES.production, SECRET, chat.url])
    expect(log + summary).not.toContain(secret);

  takeCalls(production);
  expect((await runJob(repository, up())).outcome).toBe("failure");
  expect(takeCalls(production)).toEqual([]);
  const refused = await runJob(repository, recover({ none: "orders" }));
  expect(refused.outcome, refused.log).toBe("failure");
  expect(refused.summary).toContain("### Nothing was resolved in production\n");
  const listed = await runJob(repository, recover({}));
  expect(listed.summary).toContain("    none: invoices\n");
  production.dashboard.delete(repository.idOf("invoices"));
  const right = await runJob(repository, recover({ none: " invoices " }));
  expectSuccess(right);
  expect(right.summary).toContain("### Nothing is unresolved in production\n");
  await expectDeployed(repository);
});

it("records in Recover what the machine of a killed engine knew, and the stack was locked", async () => {
  await using repository = await create();
  const { machine, ended } = await startUp(repository, { kind: "latency", milliseconds: 3000 });
  await machine.killEngine();
  const { summary, log } = await ended;
  expect(summary, log).toContain("### production is locked\n");
  expect(summary).toContain("    invoices: created, and not recorded yet.\n");
  const unlocked = await runJob(repository, recover({ unlock: true }));
  expectSuccess(unlocked);
  expect(unlocked.summary).toContain("### Nothing is unresolved in production\n");
  expectSuccess(await runJob(repository, recover({})));
  await expectDeployed(repository);
});

it("alerts that a runner was lost, unlocks, and recovers", async () => {
  await using repository = await create();
  await using chat = await startChat();
  const { production } = repository.apis;
  const secrets = { ALERT_URL: chat.url };
  const { machine, ended } = await startUp(repository, { kind: "hang", commit: false }, secrets);
  await machine.lose();
  await ended;
  expect(chat.messages.splice(0)).toEqual([
    expect.stringContaining("start the workflow Recover for production with unlock"),
  ]);
  takeCalls(production);
  for (const [job, title] of [
    [up(), "production is locked"],
    [recover({ none: "invoices", unlock: true }), "Nothing was resolved in production"],
    [recover({ unlock: true }), "production has unresolved webhooks"],
  ] as const) {
    const { outcome, summary, log } = await runJob(repository, { ...job, secrets });
    expect(outcome, log).toBe("failure");
    expect(summary).toContain(`### ${title}\n`);
    expect(chat.messages.splice(0)).toEqual([expect.stringContaining(`${title}\n`)]);
    if (title.includes("unresolved")) expect(summary).toContain("delete in the dashboard each webhook");
  }
  expect(takeCalls(production)).toEqual([]);
  expectSuccess(await runJob(repository, recover({ none: "invoices" })));
  await expectDeployed(repository);
});
