import { expect, it } from "vitest";
import { startCloud } from "../../scripts/backends/cloud.mts";
import { isAbout, receive, takeCalls } from "../calls.js";
import { whileRunning } from "../support/kill.js";
import * as github from "./github.js";
import * as gitlab from "./gitlab.js";
import { expectSuccess } from "./machine.js";
import { createInCloud, TOKENS } from "./repository.js";

// The examples with their patch for Pulumi Cloud. Their other tests have the state on S3, and kill more.

const HANG = { kind: "hang", commit: true } as const;

it("GitHub's workflows deploy, compare, and recover from a lost runner", async () => {
  await using cloud = await startCloud();
  await using repository = await createInCloud("pipelines/github", cloud);
  const { production } = repository.apis;
  expectSuccess(await github.runJob(repository, github.up({}, { stack: "dev" })));
  expectSuccess(await github.runJob(repository, github.up()));
  expectSuccess(await github.runJob(repository, github.drift));

  await repository.addInvoices();
  const diff = { workflow: "diff", job: "preview", environment: "preview" } as const;
  const preview = await github.runJob(repository, diff);
  expectSuccess(preview);
  expect(preview.outputs.text).toContain('name      : "invoices"');
  const arrived = receive(production, { fault: HANG, match: isAbout("invoices") });
  const job = await github.startJob(repository, github.up());
  await whileRunning(job, arrived);
  await job.machine.lose();
  await job.ended;

  const locked = await github.runJob(repository, github.up());
  expect(locked.summary, locked.log).toContain("### acme/production is locked\n");
  const unlocked = await github.runJob(repository, github.recover({ unlock: true }));
  expect(unlocked.summary, unlocked.log).toContain("### acme/production has unresolved webhooks\n");
  production.dashboard.delete(repository.idOf("invoices"));
  expectSuccess(await github.runJob(repository, github.recover({ none: "invoices" })));
  expectSuccess(await github.runJob(repository, github.up()));
  expect(repository.webhooks("production")).toHaveLength(3);
  expect(repository.webhooks("dev")).toHaveLength(2);
});

it.each([
  ["GitHub", "killed provider"],
  ["GitHub", "service without journals"],
  ["GitLab", "service without journals"],
])(
  "%s: after a token has expired in a run with a %s, the next update creates nothing",
  async (host, cause) => {
    const isKilled = cause === "killed provider";
    await using cloud = await startCloud({ journals: isKilled });
    const example = host === "GitHub" ? "pipelines/github" : "pipelines/gitlab";
    await using repository = await createInCloud(example, cloud);
    const { production } = repository.apis;
    const run = (name: "up" | "recover", entered = {}) =>
      host === "GitHub"
        ? github.startJob(repository, name === "up" ? github.up() : github.recover(entered))
        : gitlab.startJob(repository, `${name}-production`, { entered });
    const ended = async (...given: Parameters<typeof run>) => (await run(...given)).ended;
    expectSuccess(await ended("up"));
    if (host === "GitLab")
      for (const name of ["up-dev", "drift", "diff"]) expectSuccess(await gitlab.runJob(repository, name));
    // The service encrypts the secret before it saves the webhook.
    await repository.edit('name: "Refunds"', 'name: "Refunds", secret: config.requireSecret("ordersSecret")');
    const fault = isKilled ? HANG : ({ kind: "latency", milliseconds: 2000 } as const);
    const arrived = receive(production, { fault, match: isAbout("Refunds") });
    const job = await run("up");
    await whileRunning(job, arrived);
    if (isKilled) await job.machine.killProvider();
    await cloud.set({ tokens: { write: "expired" } });
    const { log } = await job.ended;
    await cloud.set({ tokens: TOKENS });
    const shown = isKilled ? "its outcome is unknown" : "and the API replied with the id 3.";
    expect(log).toContain(shown);
    expect(log).toMatch(
      /Correct what is named below\. Then start the (workflow Recover|job recover-production)/,
    );

    takeCalls(production);
    if (isKilled) {
      const setExpired = (expired: boolean) => {
        for (const artifact of repository.artifacts.list) artifact.expired = expired;
      };
      setExpired(true);
      for (const name of ["up", "recover"] as const) {
        const stopped = await ended(name);
        expect(stopped.outcome).toBe("failure");
        expect(stopped.log).toMatch(
          /^What a failed job of acme\/production knew has expired\n(.*\n)+Keep webhook \d, .* orders\.$/m,
        );
      }
      setExpired(false);
    }
    const next = await ended("up");
    expect(next.outcome, next.log).not.toBe("success");
    expect(takeCalls(production)).toEqual([]);
    expect((await ended("recover")).log).toMatch(/^refunds.*: unresolved\.$/m);
    production.dashboard.delete("3");
    expectSuccess(await ended("recover", host === "GitHub" ? { none: "refunds" } : { NONE: "refunds" }));
    expectSuccess(await ended("up"));
    expect(production.webhooks).toMatchObject([{ name: "Orders" }, { name: "Refunds", id: "4" }]);
    expect(repository.artifacts.list).toHaveLength(0);
  },
);
