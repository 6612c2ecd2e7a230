import { expect, it } from "vitest";
import { startCloud } from "../../scripts/backends/cloud.mts";
import { isAbout, receive, takeCalls } from "../calls.js";
import { whileRunning } from "../support/kill.js";
import * as github from "./github.js";
import * as gitlab from "./gitlab.js";
import { expectSuccess } from "./machine.js";
import { createInCloud, TOKENS } from "./repository.js";

// The examples with their patch for Pulumi Cloud. Their other tests have the state on S3, and kill more.

/** The jobs of GitHub, by the names that they have at GitLab. */
const JOBS: Record<string, github.JobOptions> = {
  "up-dev": github.up({}, { stack: "dev" }),
  "up-production": github.up(),
  drift: github.drift,
  diff: { workflow: "diff", job: "preview", environment: "preview" },
};

/** A token also expires in the run, unless the runner dies. */
it.each([
  { host: "GitHub", dies: "the runner", journals: true },
  { host: "GitHub", dies: "the provider", journals: true },
  { host: "GitHub", dies: "nobody", journals: false },
  { host: "GitLab", dies: "nobody", journals: false },
] as const)(
  "$host deploys, previews and compares, and creates nothing after a run in which $dies dies, until a person has looked (journals: $journals)",
  async ({ host, dies, journals }) => {
    const [isLost, isKilled] = [dies === "the runner", dies === "the provider"];
    await using cloud = await startCloud({ journals });
    await using repository = await createInCloud(`pipelines/${host.toLowerCase()}`, cloud);
    const { production } = repository.apis;
    const start = (name: string, { none = "", unlock = false } = {}) =>
      host === "GitHub"
        ? github.startJob(repository, JOBS[name] ?? github.recover({ none, unlock }))
        : gitlab.startJob(repository, name, { entered: { NONE: none, UNLOCK: String(unlock) } });
    const run = async (...job: Parameters<typeof start>) => (await start(...job)).ended;
    for (const name of ["up-dev", "up-production", "drift", "diff"]) expectSuccess(await run(name));

    // The service encrypts the secret before it saves the webhook.
    await repository.edit('name: "Refunds"', 'name: "Refunds", secret: config.requireSecret("ordersSecret")');
    const HANG = { kind: "hang", commit: true } as const;
    const fault = dies === "nobody" ? ({ kind: "latency", milliseconds: 2000 } as const) : HANG;
    const arrived = receive(production, { fault, match: isAbout("Refunds") });
    const job = await start("up-production");
    await whileRunning(job, arrived);
    if (isLost) await job.machine.lose();
    if (isKilled) await job.machine.killProvider();
    if (!isLost) await cloud.set({ tokens: { write: "expired" } });
    const { log } = await job.ended;
    await cloud.set({ tokens: TOKENS });
    takeCalls(production);
    if (isLost) {
      expect((await run("up-production")).log).toContain("acme/production is locked\n");
      expect((await run("recover-production", { unlock: true })).log).toContain(
        "acme/production has unresolved webhooks\n",
      );
    } else {
      expect(log).toContain(isKilled ? "its outcome is unknown" : "and the API replied with the id 3.");
      expect(log).toMatch(/Correct what is named below\. Then start the (workflow R|job r)ecover/);
    }
    const next = await run("up-production");
    expect(next.outcome, next.log).not.toBe("success");
    expect(takeCalls(production)).toEqual([]);
    expect((await run("recover-production")).log).toMatch(/^refunds.*: unresolved\.$/m);
    production.dashboard.delete("3");
    expectSuccess(await run("recover-production", { none: "refunds" }));
    expectSuccess(await run("up-production"));
    expect(production.webhooks).toMatchObject([{ name: "Orders" }, { name: "Refunds", id: "4" }]);
    expect(repository.artifacts.list).toHaveLength(0);
  },
);
