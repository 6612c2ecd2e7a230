import { createHash } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import { receive } from "../calls.js";
import { repairBackend } from "../engine/kill.js";
import type { Job } from "./job.js";
import type { Pipeline, Service } from "./pipeline.js";
import { KEY, Repository } from "./repository.js";
import type { Platform } from "./setup.js";

/** How a run ends that leaves a create in doubt. */
const ENDINGS: {
  ending: string;
  /** The webhook that it creates. */
  name: string;
  fault: Fault;
  stop?: (job: Job, service: Service) => Promise<void>;
  reason: "no reply" | "killed";
}[] = [
  {
    ending: "the API replies 500",
    name: "Failed",
    fault: { kind: "status", status: 500, commit: true },
    reason: "no reply",
  },
  {
    ending: "the API does not reply in time",
    name: "Late",
    fault: { kind: "hang", commit: true },
    reason: "no reply",
  },
  {
    ending: "a person cancels the job",
    name: "Cancelled",
    fault: { kind: "hang", commit: true },
    stop: (job, service) => service.cancel(job),
    reason: "killed",
  },
  {
    ending: "the engine is killed",
    name: "Engine",
    fault: { kind: "hang", commit: true },
    stop: (job) => job.signalEngine("SIGKILL"),
    reason: "killed",
  },
  {
    ending: "the provider is killed",
    name: "Provider",
    fault: { kind: "hang", commit: true },
    stop: (job) => job.killProvider(),
    reason: "killed",
  },
];

/** The days of a platform team on GitHub or GitLab: every step of every job really runs. */
export function describeScenarios(platform: Platform, service: Service): void {
  const create = () => Repository.create(platform);

  /** Creates a repository with its first webhooks, and with the packages, so that a person can run the commands. */
  async function createWithPackages(): Promise<Repository> {
    const repository = await create();
    await repository.ok("npm ci");
    await repository.ok("pulumi config set --stack production webhooks:timeoutSeconds 20");
    await repository.commit("Set a time-out");
    await finish(service.merge(repository));
    return repository;
  }

  /** Adds a webhook, and merges it. */
  async function add(repository: Repository, name: string): Promise<Pipeline> {
    await repository.declare(name);
    await repository.commit(`Add ${name}`);
    return service.merge(repository);
  }

  /** Enters the id of a webhook with the command that a job printed. */
  async function resolve(repository: Repository, job: Job | undefined, name: string): Promise<void> {
    const { id } = repository.api.webhooks.find((webhook) => webhook.name === name) ?? {};
    await repository.ok(
      `${commandIn(job, "npx pulumi-webhooks resolve")} --found ${name.toLowerCase()}=${id}`,
    );
  }

  describe(`the pipelines of ${platform}`, () => {
    it("preview a pull request without a request to the API or a change of the state, and create the webhooks when it is merged", async () => {
      await using repository = await create();
      const before = await fingerprint(repository.state);
      const [check, preview] = await finish(service.pullRequest(repository));
      expect(check).toMatchObject({ name: "check", result: "success" });
      expect(preview).toMatchObject({ name: "preview", result: "success" });
      expect(preview?.report).toContain("https://shop.example.com/hooks/orders");
      expect(preview?.report).toMatch(/secret +: \[secret\]/);
      expect(preview?.report).toContain("+ 3 to create");
      expect(repository.takeCalls()).toEqual([]);
      expect(await fingerprint(repository.state)).toEqual(before);

      const [up] = await finish(service.merge(repository));
      expect(up).toMatchObject({ name: "up", result: "success" });
      expect(repository.takeCalls()).toEqual(["create Orders", "create Refunds"]);

      await repository.edit("index.ts", (text) => text.replace("hooks/orders", "hooks/v2/orders"));
      await repository.commit("Move the hook of the orders");
      const [, changed] = await finish(service.pullRequest(repository));
      expect(changed?.report).toMatch(/~ url +: ".*\/hooks\/orders" => ".*\/hooks\/v2\/orders"/);
      expect(repository.takeCalls()).toEqual([]);
    });

    it("stop a pull request with a lint error or a type error before its preview", async () => {
      await using repository = await create();
      await repository.edit("index.ts", (text) => text.replace('name: "Orders"', "enabled: 1"));
      await repository.commit("Enable the orders");
      const [wrongType, ...afterWrongType] = await finish(service.pullRequest(repository));
      expect(wrongType).toMatchObject({ name: "check", result: "failure" });
      for (const job of afterWrongType) expect(job).toMatchObject({ result: "skipped" });
      expect(wrongType?.log).toContain("Type 'number' is not assignable to type 'Input<boolean>");
      await repository.edit("index.ts", (text) => text.replace("enabled: 1", "enabled: true == true"));
      await repository.commit("Enable the orders");
      const [lint, ...afterLint] = await finish(service.pullRequest(repository));
      expect(lint).toMatchObject({ name: "check", result: "failure" });
      for (const job of afterLint) expect(job).toMatchObject({ result: "skipped" });
      expect(lint?.log).toContain("lint/suspicious/");
    });

    it("show no API key to a pull request that prints its environment", async () => {
      await using repository = await create();
      await repository.edit(
        "index.ts",
        (text) => `${text}\nconsole.log("key:", process.env.WEBHOOKS_API_KEY);\n`,
      );
      await repository.edit("package.json", (text) => text.replace('"biome lint', '"env && biome lint'));
      await repository.commit("Print the environment");
      const [check, preview] = await finish(service.pullRequest(repository));
      expect(check?.log).toContain("PATH=");
      expect(check?.log).not.toMatch(/WEBHOOKS_API_KEY|PULUMI_CONFIG_PASSPHRASE/);
      expect(preview?.log).toContain("key: placeholder");
      expect(preview?.log).not.toContain(KEY);
    });

    it("check the pull request of a fork, and run nothing that requires a secret", async () => {
      await using repository = await create();
      const jobs = await finish(service.pullRequest(repository, { fork: true }));
      expect(jobs.find(({ name }) => name === "check")).toMatchObject({ result: "success" });
      expect(jobs.find(({ name }) => name === "preview")?.result ?? "skipped").toBe("skipped");
      expect(repository.takeCalls()).toEqual([]);
    });

    it("say which secret is missing before anything is sent", async () => {
      await using repository = await create();
      const { production } = repository.environments;
      delete production.WEBHOOKS_API_KEY;
      const [up] = await finish(service.merge(repository));
      expect(up).toMatchObject({ result: "failure", report: "" });
      expect(up?.log).toMatch(
        /WEBHOOKS_API_KEY: not set\. Add this \w+ (to|for) the environment production\./,
      );
      expect(up?.log).not.toContain("###");
      Object.assign(production, {
        WEBHOOKS_API_KEY: KEY,
        PULUMI_BACKEND_URL: `file://${repository.folder}/nothing`,
      });
      const [unreadable] = await finish(service.merge(repository));
      expect(unreadable?.log).toContain("### pulumi up did not complete, and the state could not be read");
      delete repository.environments.preview.PULUMI_CONFIG_PASSPHRASE;
      const [, preview] = await finish(service.pullRequest(repository));
      expect(preview).toMatchObject({ result: "failure" });
      expect(preview?.log).toMatch(
        /PULUMI_CONFIG_PASSPHRASE: not set\. Add this \w+ (to|for) the environment preview\./,
      );
      expect(repository.takeCalls()).toEqual([]);
    });

    it("find what someone changed in the dashboard, undo it on request, and end in another way for each outcome", async () => {
      await using repository = await create();
      await finish(service.merge(repository));
      const [none] = await finish(service.schedule(repository));
      expect(none).toMatchObject({ name: "drift", result: "success" });
      expect(none?.log).toContain("No drift: 2 webhooks of stack production compared.");

      const { api } = repository;
      const orders = api.webhooks.find(({ name }) => name === "Orders");
      api.dashboard.edit(orders?.id ?? "", { enabled: false });
      repository.takeCalls();
      const before = await fingerprint(repository.state);
      const [drift] = await finish(service.schedule(repository));
      expect(drift).toMatchObject({ result: "failure", exitCode: 7 });
      expect(drift?.log).toContain(`~ Orders (${orders?.id}): enabled true → false`);
      expect(drift?.log).toMatch(/To undo it, (run|start) .* restore/);
      expect(repository.takeCalls()).toEqual(["update 1", "update 2"]);
      expect(await fingerprint(repository.state)).toEqual(before);

      const [restore] = await finish(service.restore(repository));
      expect(restore).toMatchObject({ result: "success" });
      expect(api.webhooks.find(({ name }) => name === "Orders")?.enabled).toBe(true);
      const [restored] = await finish(service.schedule(repository));
      expect(restored).toMatchObject({ result: "success" });

      await repository.ok("pulumi config set --stack production webhooks:deadlineSeconds 5");
      await repository.commit("Wait for five seconds only");
      api.inject({ operation: "update", times: Infinity, fault: { kind: "reset", when: "before commit" } });
      const [down] = await finish(service.schedule(repository));
      expect(down).toMatchObject({ result: "failure", exitCode: 1 });
      expect(down?.log).toMatch(/drift check failed/i);
      expect(down?.log).toContain("It is unknown whether there is drift.");
      api.clearFaults();

      await repository.ok("pulumi config set --stack production webhooks:drift off");
      await repository.commit("Compare nothing");
      const [off] = await finish(service.schedule(repository));
      expect(off).toMatchObject({ result: "failure", exitCode: 3 });
      expect(off?.log).toMatch(/not compared/i);
      expect(off?.log).toContain("Drift may be unseen.");
    });

    it("record what a broken run has sent, however it broke, and never say then that no create is in doubt", async () => {
      await using repository = await createWithPackages();
      for (const { ending, name, fault, stop, reason } of ENDINGS) {
        const { jobs, ended } = await createInFlight(repository, fault, () => add(repository, name));
        const [up] = jobs;
        if (up !== undefined) await stop?.(up, service);
        await ended;
        expect(up?.log, ending).toContain("### pulumi up did not complete, and creates are in doubt");
        expect(up?.log, ending).toContain(`"reason": "${reason}"`);
        expect(up?.log, ending).not.toContain("No create is in doubt");
        await resolve(repository, up, name);
      }
      const names = [...ENDINGS.map(({ name }) => name), "Orders", "Refunds"];
      expect(repository.api.webhooks.map(({ name }) => name).sort()).toEqual(names.sort());
    });

    it("list the creates in doubt of a run that was killed if the state is locked elsewhere by then", async () => {
      await using repository = await createWithPackages();
      const { jobs, ended } = await createInFlight(repository, { kind: "hang", commit: true }, () =>
        add(repository, "Others"),
      );
      const [up] = jobs;
      await up?.signalEngine("SIGSTOP");
      await lockElsewhere(repository.state);
      await up?.signalEngine("SIGKILL");
      await ended;
      expect(up?.log).toContain("and the state could not be read or written");
      expect(up?.log).toContain("Stack production is locked by someone@elsewhere");
      expect(up?.log).toMatch(/"unresolved": \[\s+{[^}]*"resource": "others"/);
      await repository.ok(commandIn(up, "pulumi cancel --stack"));
      await resolve(repository, up, "Others");
      expect(repository.api.webhooks.map(({ name }) => name).sort()).toEqual(["Orders", "Others", "Refunds"]);
    });

    it("record a webhook whose reply a killed engine has not saved, and are green with the next run", async () => {
      await using repository = await createWithPackages();
      const [replied] = await killEngineAfterReply(repository, () => add(repository, "Replied"));
      expect(replied?.log).toContain("No create is in doubt. Read the log, correct the error, and run");
      repository.takeCalls();
      const [green] = await finish(service.merge(repository));
      expect(green).toMatchObject({ result: "success" });
      expect(repository.takeCalls()).toEqual([expect.stringMatching(/^update \d+$/)]);
      expect(repository.api.webhooks.map(({ name }) => name).sort()).toEqual([
        "Orders",
        "Refunds",
        "Replied",
      ]);
    });

    it("report a machine that was lost during a create, and are green again after the commands that they print", async () => {
      await using repository = await create();
      await finish(service.merge(repository));
      await repository.declare("Invoices");
      await repository.commit("Add the invoices");
      repository.takeCalls();
      const { jobs, ended } = await createInFlight(repository, { kind: "hang", commit: true }, () =>
        service.merge(repository),
      );
      await jobs[0]?.loseMachine();
      await ended;
      await repairBackend(repository.state);
      expect(repository.takeCalls()).toEqual(["create Invoices -> no reply"]);

      const [locked] = await finish(service.merge(repository));
      expect(locked).toMatchObject({ result: "failure" });
      expect(locked?.log).toContain("### Stack production is locked");
      await repository.ok("npm ci");
      await repository.ok(commandIn(locked, "pulumi cancel --stack"));
      const resolve = commandIn(locked, "npx pulumi-webhooks resolve");
      const open = await repository.person(resolve);
      expect(open).toMatchObject({ code: 1 });
      expect(open.output).toContain("A run was killed during its create");

      // Someone unlocks the stack only, and runs the job again.
      const [refused] = await finish(service.merge(repository));
      expect(refused).toMatchObject({ result: "failure" });
      expect(refused?.log).toContain("### pulumi up did not complete, and creates are in doubt");
      expect(repository.takeCalls()).toEqual([]);

      const invoices = repository.api.webhooks.find(({ name }) => name === "Invoices");
      expect(commandIn(refused, "npx pulumi-webhooks resolve")).toBe(resolve);
      await repository.ok(`${resolve} --found Invoices=${invoices?.id}`);
      const [green] = await finish(service.merge(repository));
      expect(green).toMatchObject({ result: "success" });
      expect(repository.takeCalls()).toEqual([`update ${invoices?.id}`]);
      expect(repository.api.webhooks).toHaveLength(3);
    });

    it("refuse one of two deployments at once, and create no duplicates", async () => {
      await using repository = await create();
      await repository.ok("pulumi config set --stack production webhooks:timeoutSeconds 120");
      await repository.commit("Wait for a slow API");
      repository.api.inject({ operation: "create", fault: { kind: "latency", milliseconds: 40_000 } });
      const both = await Promise.all([finish(service.merge(repository)), finish(service.merge(repository))]);
      const jobs = both.flat();
      expect(jobs.map(({ result }) => result).sort()).toEqual(["failure", "success"]);
      const refused = jobs.find(({ result }) => result === "failure");
      expect(refused?.log).toContain("### Stack production is locked");
      expect(repository.takeCalls()).toEqual(["create Orders", "create Refunds"]);
      const [next] = await finish(service.merge(repository));
      expect(next).toMatchObject({ result: "success" });
      expect(repository.takeCalls()).toEqual([]);
    });
  });
}

/** Waits for the jobs of an event. */
export async function finish(starting: Promise<Pipeline>): Promise<readonly Job[]> {
  const { jobs, ended } = await starting;
  await ended;
  return jobs;
}

/** Starts jobs, and waits until the API has received a create, which meets a fault. */
export async function createInFlight(repository: Repository, fault: Fault, start: () => Promise<Pipeline>) {
  const arrived = receive(repository.api, { fault });
  const pipeline = await start();
  await arrived;
  return pipeline;
}

/** Starts jobs, and kills the engine once its provider has the reply to a create, which the engine does not save. */
async function killEngineAfterReply(
  repository: Repository,
  start: () => Promise<Pipeline>,
): Promise<readonly Job[]> {
  const { jobs, ended } = await createInFlight(repository, { kind: "latency", milliseconds: 3000 }, start);
  await jobs[0]?.signalEngine("SIGSTOP");
  while (!(await jobs[0]?.hasNotedReply())) await setTimeout(100);
  await jobs[0]?.signalEngine("SIGKILL");
  await ended;
  return jobs;
}

/** Changes the lock of a stack into that of another machine. */
async function lockElsewhere(state: string): Promise<void> {
  const locks = join(state, ".pulumi/locks");
  const [file = ""] = (await readdir(locks, { recursive: true })).filter((name) => name.endsWith(".json"));
  const lock = JSON.parse(await readFile(join(locks, file), "utf8"));
  await writeFile(join(locks, file), JSON.stringify({ ...lock, username: "someone", hostname: "elsewhere" }));
}

/** Finds a command that a job tells people to run. */
function commandIn(job: Job | undefined, start: string): string {
  const commands = [...(job?.log ?? "").matchAll(/`([^`\n]+)`/g)].map(([, command = ""]) => command);
  return commands.find((command) => command.startsWith(start)) ?? `no command ${start} in the log`;
}

/** The content of every file of a folder. */
async function fingerprint(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const file of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, file);
    if ((await stat(path)).isFile()) {
      files[file] = createHash("sha256")
        .update(await readFile(path))
        .digest("hex");
    }
  }
  return files;
}
