import { mkdtemp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, inject, it, vi } from "vitest";
import { getLanguages } from "../../scripts/languages.mts";
import { isAbout, receive, takeCalls } from "../calls.js";
import { whileRunning } from "../support/kill.js";
import { installExample } from "../support/languages.js";
import { drift, recover, runJob, startJob, up } from "./github.js";
import { expectSuccess } from "./machine.js";
import { copyPipeline, type Prepared, useRepositories } from "./repository.js";

// The workflows of examples/languages/python, step by step, with the state on S3.

const create = useRepositories(prepare);

/** Installs the example with a generated SDK. The plugin is that of the npm package. */
async function prepare(): Promise<Prepared> {
  const installed = await installExample("python");
  const folder = join(await mkdtemp(join(dirname(inject("home")), "pipelines-")), "prepared");
  await copyPipeline("languages/python", folder);
  const bin = join(inject("projects").newest, "node_modules/.bin");
  return {
    folder,
    install: "pulumi install",
    share: `ln -s ${join(installed, "venv")} venv`,
    // The language host that is built from modules is older than the engine, which no longer passes it the option virtualenv.
    path: [join(installed, "venv/bin"), await getLanguages(), bin],
    setup: `for stack in dev production; do
      export PULUMI_BACKEND_URL="s3://your-bucket-$stack"
      pulumi stack init "$stack" --secrets-provider passphrase
      pulumi config set --stack "$stack" --secret hookSecret
    done`,
    cloudSetup: "",
  };
}

const deploy = (inputs = {}) => up(inputs, { workflow: "deploy" });

it("a team that uses Python previews, deploys, finds drift and restores; an update after a killed provider and an expired session creates nothing", async () => {
  await using repository = await create();
  const { apis, place, artifacts } = repository;
  const { production } = apis;
  const preview = await runJob(repository, { workflow: "deploy", job: "preview" });
  expectSuccess(preview);
  expect(preview.log).toContain("+ 3 to create");

  const fault = { kind: "hang", commit: true } as const;
  const arrived = receive(production, { fault, match: isAbout("Orders") });
  const job = await startJob(repository, deploy());
  await whileRunning(job, arrived);
  // Its provider has the reply to the other create, too.
  await vi.waitFor(() => expect(production.webhooks).toHaveLength(2), 30_000);
  await setTimeout(2000);
  const { AWS_SECRET_ACCESS_KEY = "" } = place.backends.production;
  await job.machine.killProvider();
  place.backends.production.AWS_SECRET_ACCESS_KEY = "expired";
  const { log } = await job.ended;
  expect(log).toContain("state could not be read or written");
  place.backends.production.AWS_SECRET_ACCESS_KEY = AWS_SECRET_ACCESS_KEY;

  takeCalls(production);
  const next = await runJob(repository, deploy());
  expect(next.summary, next.log).toContain("### production has unresolved webhooks\n");
  expect(next.summary).toContain("    none: orders\n");
  expect(takeCalls(production)).toEqual([]);
  production.dashboard.delete(repository.idOf("Orders"));
  expectSuccess(await runJob(repository, recover({ none: "orders" })));
  expectSuccess(await runJob(repository, deploy()));
  expect(production.webhooks.map(({ name }) => name).sort()).toEqual(["Orders", "refunds"]);
  expect(artifacts.list).toHaveLength(0);

  expectSuccess(await runJob(repository, drift));
  production.dashboard.edit(repository.idOf("Orders"), { enabled: false });
  const found = await runJob(repository, drift);
  expect(found.outcome).toBe("failure");
  expect(found.summary).toContain("### Drift\n");
  expectSuccess(await runJob(repository, deploy({ restore: true })));
  expect(production.webhooks).toContainEqual(expect.objectContaining({ name: "Orders", enabled: true }));
});
