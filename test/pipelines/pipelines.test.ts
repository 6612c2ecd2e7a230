import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { OLDEST_NODE } from "../../src/pulumi/node-version.js";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "examples/pipelines");
const PYTHON = join(ROOT, "examples/languages/python");
const [GITHUB, GITLAB, OPERATOR] = ["github", "gitlab", "kubernetes-operator"].map((name) =>
  join(EXAMPLES, name),
) as [string, string, string];

interface Job {
  permissions?: object;
  environment?: unknown;
  concurrency?: object;
  uses?: string;
  secrets?: object;
  steps?: { name?: string; uses?: string; run?: string; env?: Record<string, string> }[];
  [key: string]: unknown;
}
interface Workflow {
  on: object;
  permissions: object;
  concurrency?: object;
  jobs: Record<string, Job>;
}

const read = (...path: string[]) => readFileSync(join(...path), "utf8");
const readYaml = (...path: string[]) => parse(read(...path));
const readJson = (...path: string[]) => JSON.parse(read(...path));

function workflowsOf(folder: string): Map<string, Workflow> {
  const files = globSync(join(folder, ".github/workflows/*.yml"));
  return new Map(files.map((file) => [basename(file, ".yml"), readYaml(file)]));
}

describe.each([
  ["GitHub", GITHUB],
  ["GitHub in Python", PYTHON],
])("the workflows of %s", (_, folder) => {
  const workflows = workflowsOf(folder);
  const jobs = [...workflows].flatMap(([name, workflow]) =>
    Object.entries(workflow.jobs).map(([id, job]) => ({ place: `${name} ${id}`, ...job })),
  );

  it("have no more rights than they need, and give secrets to single steps, or the URL of alerts to their workflow", () => {
    for (const [name, { permissions, jobs: _, ...rest }] of workflows) {
      expect(permissions).toEqual(name === "alert" ? {} : { contents: "read" });
      expect(JSON.stringify({ ...rest, on: undefined })).not.toContain("secrets.");
    }
    const login = { contents: "read", "id-token": "write" };
    // Every job that changes a stack puts back what those before it knew.
    const changing = ["deploy dev", "deploy production", "deploy up", "up up", "recover recover"];
    for (const { place, permissions, steps = [], secrets, ...job } of jobs) {
      const isDeploying =
        steps.some(({ uses }) => uses?.startsWith("aws-actions/")) || job.uses?.endsWith("/up.yml");
      const rights =
        place === "diff comment" ? { "pull-requests": "write" } : isDeploying ? login : undefined;
      expect(permissions).toEqual(changing.includes(place) ? { ...rights, actions: "write" } : rights);
      if (job.uses === "./.github/workflows/alert.yml")
        expect(secrets).toEqual({ ALERT_URL: expect.any(String) });
      expect(JSON.stringify(job)).not.toContain("secrets.");
      for (const { env: _, ...step } of steps) expect(JSON.stringify(step)).not.toContain("secrets.");
    }
  });

  it("let no secret reach the code of a pull request, unless reviewers approve the run", () => {
    const onPullRequests = [...workflows].filter(([, { on }]) => "pull_request" in on).map(([name]) => name);
    expect(onPullRequests).toEqual(folder === GITHUB ? ["diff", "preview"] : ["deploy"]);
    const { check, preview = check } = workflows.get(folder === GITHUB ? "preview" : "deploy")?.jobs ?? {};
    expect(JSON.stringify(preview)).not.toContain("secrets.");
    expect(preview).not.toHaveProperty("environment");
  });

  it("never put what a person enters into a script", () => {
    for (const { steps = [] } of jobs) for (const { run } of steps) expect(run ?? "").not.toContain("${{");
  });

  it("run one deployment or recovery of a stack at a time, and cancel none for another one", () => {
    const changing = jobs.filter(({ place }) => ["up up", "deploy up", "recover recover"].includes(place));
    expect(changing).toHaveLength(2);
    for (const job of changing) {
      expect(job.environment).toMatch(folder === GITHUB ? /^\$\{\{ inputs\.stack \}\}$/ : /^production$/);
      expect(job.concurrency).toEqual({ group: job.environment, "cancel-in-progress": false });
      expect(job.steps?.filter(({ run }) => run?.match(/recover\.sh (restore|forget)/))).toHaveLength(2);
      if (job.place !== "recover recover") expect(job).not.toHaveProperty("timeout-minutes");
    }
  });
});

it("the workflows of GitHub run no code with the right to comment, and deploy to production after dev", () => {
  const workflows = workflowsOf(GITHUB);
  const { steps = [] } = workflows.get("diff")?.jobs.comment ?? {};
  expect(steps.filter(({ uses, run }) => uses !== undefined || /\bnp[mx]\b/.test(run ?? ""))).toEqual([]);
  const { dev, production } = workflows.get("deploy")?.jobs ?? {};
  expect(production).toEqual({
    ...{ ...dev, needs: "dev", with: { stack: "production" } },
    if: expect.stringContaining("needs.dev.result == 'success'"),
  });
});

it("the pipeline of GitLab runs one deployment or recovery of a stack at a time, and cancels none for another one", () => {
  const pipeline = readYaml(GITLAB, ".gitlab-ci.yml");
  for (const stack of ["dev", "production"]) {
    expect(pipeline[`.${stack}`]).toMatchObject({ resource_group: stack, environment: stack });
    for (const job of ["up", "recover"])
      expect(pipeline[`${job}-${stack}`].extends).toEqual([`.${job}`, `.${stack}`]);
  }
  for (const job of [".up", ".recover"]) expect(pipeline[job]).toMatchObject({ interruptible: false });
  for (const job of ["restore", "drift"]) expect(pipeline[job].extends).toContain(".production");
});

it("the pipeline of GitLab gives no secret to the check of a merge request, and no real key to its diff", () => {
  const { check, diff } = readYaml(GITLAB, ".gitlab-ci.yml");
  expect(check).not.toHaveProperty("environment");
  expect(check).not.toHaveProperty("extends");
  expect(diff.variables).toEqual({ WEBHOOKS_API_KEY: "placeholder" });
});

it("the operator's update and its drift check use the same program, state, image and secrets", () => {
  // The first document of the file is the Stack.
  const { spec } = parse(read(OPERATOR, "stack.yaml").split("\n---\n")[0] ?? "");
  const job = readYaml(OPERATOR, "drift.yaml").spec.jobTemplate.spec.template.spec;
  const [{ image, env, args }] = job.containers;
  const references = [spec.gitAuth.accessToken, ...Object.values(spec.envRefs)];
  const secrets = references.flatMap(({ secret }) => secret ?? []);
  expect(env).toEqual([
    { name: "REPOSITORY", value: spec.projectRepo },
    { name: "STACK", value: spec.stack },
    { name: "PULUMI_BACKEND_URL", value: spec.backend },
    ...secrets.map((secret) => ({ name: secret.key, valueFrom: { secretKeyRef: secret } })),
  ]);
  expect(image).toBe(spec.workspaceTemplate.spec.image);
  expect(args.join()).toContain(` --branch ${spec.branch} `);
});

describe("the pipelines of the examples", () => {
  const files = globSync(join(EXAMPLES, "**/{.github/workflows/*.yml,.gitlab-ci.yml,*.yaml}"));
  const texts = files.map((file) => read(file)).join("\n");

  it("install the npm packages without their install scripts, which would see the secrets", () => {
    const installs = texts.split("\n").filter((line) => /\bnpm (ci|install)\b/.test(line));
    expect(installs.length).toBeGreaterThan(5);
    for (const line of installs) expect(line).toContain("npm ci --ignore-scripts");
  });

  it("pin one version of the Pulumi CLI, and the npm packages that this repository uses", () => {
    const pinned = texts.matchAll(/(?:pulumi-version: |pulumi-nodejs-24:|pulumi\/pulumi:)(\d+\.\d+\.\d+)/g);
    const versions = [...pinned].map(([, version]) => version);
    expect(versions).toHaveLength(8);
    expect(new Set(versions).size).toBe(1);
    const lock = readJson(ROOT, "package-lock.json");
    for (const folder of [GITHUB, GITLAB]) {
      const { dependencies, devDependencies } = readJson(folder, "package.json");
      expect(dependencies).toEqual({
        "@pulumi/pulumi": lock.packages["node_modules/@pulumi/pulumi"].version,
        "pulumi-webhooks": lock.version,
      });
      for (const range of Object.values(devDependencies)) expect(range).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it.each([
    ...["index.ts", "package.json", "tsconfig.json"],
    ...["Pulumi.production.yaml", "Pulumi.dev.yaml", "Pulumi.check.yaml"],
  ])("are for the same program: %s", (file) => expect(read(GITLAB, file)).toBe(read(GITHUB, file)));

  it("report alike in Python", () => {
    const alert = ".github/workflows/alert.yml";
    expect(read(PYTHON, alert)).toBe(read(GITHUB, alert));
  });
});

it("all workflows use each action at one commit, and name its release", () => {
  const files = [ROOT, GITHUB].flatMap((folder) => globSync(join(folder, ".github/workflows/*.yml")));
  const texts = files.map((file) => read(file)).join("\n");
  const used = new Set([...texts.matchAll(/uses: (?!\.)(.*)/g)].map(([, action = ""]) => action));
  expect(used.size).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

describe("the workflows of this repository", () => {
  const workflows = workflowsOf(ROOT);

  it("run every test and every check for each change, and before a release", () => {
    const { scripts } = readJson(ROOT, "package.json");
    const expand = (command: string): string[] =>
      command.split(" && ").flatMap((part) => {
        const [, names = ""] = /^(?:npm (?:run )?|scripts\/run-all\.sh )(.*)$/.exec(part) ?? [];
        return names.split(" ").flatMap((name) => (name in scripts ? [name, ...expand(scripts[name])] : []));
      });
    const steps = Object.values(workflows.get("ci")?.jobs ?? {}).flatMap((job) => job.steps ?? []);
    const checks = Object.keys(scripts).filter((name) => name.startsWith("check:"));
    expect(steps.flatMap((step) => expand(step.run ?? ""))).toEqual(
      expect.arrayContaining(["test", "test:slow", "test:long", ...checks]),
    );
    expect(workflows.get("ci")?.on).toHaveProperty("pull_request");
    expect(workflows.get("release")?.jobs.tests).toMatchObject({ uses: "./.github/workflows/ci.yml" });
    expect(workflows.get("release")?.jobs.publish).toMatchObject({
      needs: ["version", "tests", "executables", "wheel"],
    });
  });

  it("test the oldest major version of Node.js that the package supports, and that of .nvmrc", () => {
    const { engines, devDependencies } = readJson(ROOT, "package.json");
    const current = read(ROOT, ".nvmrc").trim();
    expect(engines.node).toBe(`>=${OLDEST_NODE}`);
    const [oldest] = OLDEST_NODE.split(".");
    const test = workflows.get("ci")?.jobs.test;
    expect(test).toMatchObject({ strategy: { matrix: { node: [oldest, current, "latest"] } } });
    expect(devDependencies.node).toMatch(new RegExp(`^\\^${current}\\.`));
  });

  it("have no secret, install no package with its scripts, and get the right to publish in one job for each registry", () => {
    const rights: Record<string, unknown> = {
      "release publish": { contents: "read", "id-token": "write" },
      "release pypi": { contents: "read", "id-token": "write" },
      "release release": { contents: "write" },
      "newest-pulumi update": { contents: "write", "pull-requests": "write" },
    };
    for (const [name, workflow] of workflows) {
      expect(JSON.stringify(workflow)).not.toContain("secrets.");
      expect(workflow.permissions).toEqual({ contents: "read" });
      for (const [id, { permissions, steps = [] }] of Object.entries(workflow.jobs)) {
        expect(permissions).toEqual(rights[`${name} ${id}`]);
        const installs = steps.filter(({ run }) => /\bnpm (ci|install)\b/.test(run ?? ""));
        for (const { run } of installs) expect(run).toMatch(/^npm (ci|install) --ignore-scripts\b/);
      }
    }
  });
});
