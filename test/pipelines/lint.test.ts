import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { runActionlint, runCheckJsonschema } from "../../scripts/pipeline-linters.mts";
import { ACTIONS } from "./actions.js";
import { readWorkflows } from "./github-actions.js";
import { readPipeline } from "./gitlab-ci.js";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "examples/pipelines");
const GITHUB = join(EXAMPLES, "github");
const GITLAB = join(EXAMPLES, "gitlab");
const WORKFLOWS = globSync(join(GITHUB, ".github/workflows/*.yml")).sort();
/** The workflows of this repository. */
const OUR_WORKFLOWS = globSync(join(ROOT, ".github/workflows/*.yml")).sort();
const PIPELINE = join(GITLAB, ".gitlab-ci.yml");

// The first time, the linters are installed.
beforeAll(
  () => Promise.all([runActionlint(WORKFLOWS), runCheckJsonschema("vendor.gitlab-ci", [PIPELINE])]),
  600_000,
);

/** Lints a file in which a text is replaced, to see that the linter would notice. */
async function lintChanged(file: string, change: [string, string], lint: (file: string) => Promise<string>) {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-lint-"));
  try {
    const text = await readFile(file, "utf8");
    expect(text).toContain(change[0]);
    const copy = join(folder, "copy.yml");
    await writeFile(copy, text.replace(...change));
    return await lint(copy);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("the workflows of GitHub", () => {
  it("pass actionlint, which finds a misspelled context", async () => {
    expect(WORKFLOWS).toHaveLength(3);
    expect(await runActionlint([...WORKFLOWS, ...OUR_WORKFLOWS])).toBe("");
    const change: [string, string] = ["secrets.WEBHOOKS_API_KEY }}", "secret.WEBHOOKS_API_KEY }}"];
    const found = await lintChanged(join(GITHUB, ".github/workflows/deploy.yml"), change, (file) =>
      runActionlint([file]),
    );
    expect(found).toContain('undefined variable "secret"');
  });

  it("match the schema, which refuses a misspelled key", async () => {
    const lint = (files: string[]) => runCheckJsonschema("vendor.github-workflows", files);
    expect(await lint([...WORKFLOWS, ...OUR_WORKFLOWS])).toBe("");
    for (const [right, wrong] of [
      ["cancel-in-progress:", "cancel-in-progres:"],
      ["queue: max", "queue: maximum"],
    ] as const) {
      const found = await lintChanged(join(GITHUB, ".github/workflows/deploy.yml"), [right, wrong], (file) =>
        lint([file]),
      );
      expect(found).toContain("concurrency");
    }
  });

  it("use actions at the commit of a release, with inputs that the action has", async () => {
    const used = [...WORKFLOWS, ...OUR_WORKFLOWS].flatMap((file) => [
      ...readFileSync(file, "utf8").matchAll(/uses: ([\w./-]+)@([0-9a-f]{40}) # (\S+)/g),
    ]);
    for (const [, name = "", commit, release] of used) {
      expect({ name, commit, release }).toEqual({ name, ...without(ACTIONS[name], "inputs") });
    }
    let count = 0;
    const workflows = await Promise.all([GITHUB, ROOT].map(readWorkflows));
    for (const { jobs } of workflows.flatMap((files) => [...files.values()])) {
      for (const step of Object.values(jobs).flatMap(({ steps }) => steps)) {
        const [name = ""] = (step.uses ?? "").split("@");
        if (step.uses !== undefined) count++;
        for (const input of Object.keys(step.with)) expect(ACTIONS[name]?.inputs).toContain(input);
      }
    }
    expect(used).toHaveLength(count);
  });

  it("have no more rights than they need, and give secrets to single steps only", async () => {
    for (const [name, { permissions, jobs, ...rest }] of await readWorkflows(GITHUB)) {
      expect(permissions).toEqual({ contents: "read" });
      for (const [id, { permissions: own, steps, ...job }] of Object.entries(jobs)) {
        const isLogin = steps.some(({ uses }) => uses?.startsWith("aws-actions/"));
        const login = isLogin ? { contents: "read", "id-token": "write" } : undefined;
        expect(own).toEqual(id === "comment" ? { "pull-requests": "write" } : login);
        expect(JSON.stringify(job)).not.toContain("secrets.");
        for (const { env, ...step } of steps) expect(JSON.stringify(step)).not.toContain("secrets.");
        const withKey = steps.filter(({ env }) => env.WEBHOOKS_API_KEY?.includes("secrets."));
        expect(withKey).toHaveLength(name === "preview" ? 0 : 1);
      }
      expect(JSON.stringify(rest)).not.toContain("secrets.");
    }
  });

  it("run no code of a pull request and no npm package with the right to comment, and never put its text into a script", async () => {
    const comment = (await readWorkflows(GITHUB)).get("preview")?.jobs.comment;
    expect(comment?.steps).toHaveLength(1);
    expect(comment?.steps[0]).not.toHaveProperty("uses");
    expect(comment?.steps[0]?.run).not.toMatch(/\$\{\{|\bnpm\b|\bnpx\b/);
  });

  it("run the code of pull requests without the rights of the repository", async () => {
    const events = [...(await readWorkflows(GITHUB))].map(([name, { on }]) => [name, Object.keys(on)]);
    expect(Object.fromEntries(events)).toEqual({
      preview: ["pull_request"],
      deploy: ["push", "workflow_dispatch"],
      drift: ["schedule", "workflow_dispatch"],
    });
  });

  it("never cancel a deployment for another one, and drop none that waits", async () => {
    const deploy = (await readWorkflows(GITHUB)).get("deploy");
    expect(deploy?.concurrency).toEqual({ group: "production", "cancel-in-progress": false, queue: "max" });
    expect(deploy?.jobs.up).not.toHaveProperty("timeout-minutes");
  });
});

describe("the workflows of this repository", () => {
  it("run every command of .ci/run for each change, and before a release", async () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const expand = (command: string): string[] =>
      command.split(" && ").flatMap((part) => {
        const [, name = ""] = /^npm (?:run )?(\S+)$/.exec(part) ?? [];
        return name in scripts ? [name, ...expand(scripts[name])] : [];
      });
    const workflows = await readWorkflows(ROOT);
    const steps = Object.values(workflows.get("ci")?.jobs ?? {}).flatMap((job) => job.steps);
    const run = steps.flatMap((step) => expand(step.run ?? ""));
    const [tests = "", checks = ""] = [
      ...readFileSync(join(ROOT, ".ci/run"), "utf8").matchAll(/^for script in (.*); do$/gm),
    ].map(([, names]) => names);
    expect(run).toEqual(expect.arrayContaining(tests.split(" ")));
    expect(run).toEqual(expect.arrayContaining(checks.split(" ").map((name) => `check:${name}`)));
    expect(workflows.get("ci")?.on).toHaveProperty("pull_request");
    expect(workflows.get("release")?.jobs.tests).toMatchObject({ uses: "./.github/workflows/ci.yml" });
    expect(workflows.get("release")?.jobs.publish?.needs).toEqual(["version", "tests"]);
  });

  it("test the oldest major version of Node.js that the package supports, and that of .nvmrc", async () => {
    const { engines, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const current = readFileSync(join(ROOT, ".nvmrc"), "utf8").trim();
    const test = (await readWorkflows(ROOT)).get("ci")?.jobs.test;
    const [, oldest] = /^>=(\d+)\./.exec(engines.node) ?? [];
    expect(test).toMatchObject({ strategy: { matrix: { node: [oldest, current, "latest"] } } });
    expect(devDependencies.node).toMatch(new RegExp(`^\\^${current}\\.`));
  });

  it("have no secret, install no package with its scripts, and get the right to publish in one job only", async () => {
    for (const [name, workflow] of await readWorkflows(ROOT)) {
      expect(JSON.stringify(workflow)).not.toContain("secrets.");
      expect(workflow.permissions).toEqual({ contents: "read" });
      for (const [id, { permissions, steps }] of Object.entries(workflow.jobs)) {
        const rights: Record<string, unknown> = {
          "release publish": { contents: "read", "id-token": "write" },
          "release release": { contents: "write" },
        };
        expect(permissions).toEqual(rights[`${name} ${id}`]);
        const installs = steps.filter(({ run }) => /\bnpm (ci|install)\b/.test(run ?? ""));
        for (const { run } of installs) expect(run).toBe("npm ci --ignore-scripts");
      }
    }
  });

  it.each([
    ["vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/bug.yml", "description: ", "descriptio: "],
    ["vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/feature.yml", "description: ", "descriptio: "],
    ["vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml", "enabled: true", "enabled: maybe"],
    ["vendor.renovate", "renovate.json", '"customType": "regex"', '"customType": "regexp"'],
  ])("%s accepts %s, and refuses a mistake in it", async (schema, file, right, wrong) => {
    const lint = (path: string) => runCheckJsonschema(schema, [path]);
    expect(await lint(join(ROOT, file))).toBe("");
    expect(await lintChanged(join(ROOT, file), [right, wrong], lint)).not.toBe("");
  });
});

describe("the pipeline of GitLab", () => {
  it("matches the schema, which refuses a misspelled key", async () => {
    const lint = (file: string) => runCheckJsonschema("vendor.gitlab-ci", [file]);
    expect(await lint(PIPELINE)).toBe("");
    expect(await lintChanged(PIPELINE, ["resource_group", "resource_groop"], lint)).toContain(
      "resource_groop",
    );
  });

  it("runs one deployment at a time, and cancels none for another one", async () => {
    const { definitions } = await readPipeline(GITLAB);
    for (const name of ["up", "restore"]) {
      expect(definitions.get(name)).toMatchObject({ resource_group: "production", interruptible: false });
    }
    expect(definitions.get("drift")).toMatchObject({ resource_group: "production" });
  });
});

it("both pin one version of the Pulumi CLI, and the npm packages that this repository uses", () => {
  const texts = [...WORKFLOWS, PIPELINE].map((file) => readFileSync(file, "utf8")).join("");
  const clis = [...texts.matchAll(/(?:pulumi-version: |pulumi-nodejs-24:)(\d+\.\d+\.\d+)$/gm)].map(
    ([, cli]) => cli,
  );
  expect(clis).toHaveLength(4);
  expect(new Set(clis).size).toBe(1);
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  for (const folder of [GITHUB, GITLAB]) {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(dependencies).toEqual({
      "@pulumi/pulumi": lock.packages["node_modules/@pulumi/pulumi"].version,
      "pulumi-webhooks": lock.version,
    });
    for (const range of Object.values(devDependencies)) expect(range).toMatch(/^\d+\.\d+\.\d+$/);
  }
});

it.each([
  "index.ts",
  "package.json",
  "tsconfig.json",
  ".gitignore",
  "Pulumi.production.yaml",
  "ci/after-failed-up.sh",
])("both have the same %s", (file) => {
  expect(readFileSync(join(GITLAB, file), "utf8")).toBe(readFileSync(join(GITHUB, file), "utf8"));
});

it("every pipeline installs the npm packages without their install scripts, which would see the secrets", () => {
  const files = globSync(join(EXAMPLES, "**/{.github/workflows/*.yml,.gitlab-ci.yml,*.yaml}"));
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const installs = lines.filter((line) => /\bnpm (ci|install)\b/.test(line));
  expect(installs).toHaveLength(7);
  for (const line of installs) expect(line).toContain("npm ci --ignore-scripts");
});

it("the linters fail with what to install on a machine without Go and Python", async () => {
  const module = join(import.meta.dirname, "../../scripts/pipeline-linters.mts");
  const cache = await mkdtemp(join(tmpdir(), "pulumi-webhooks-lint-"));
  try {
    for (const [call, required] of [
      ["runActionlint([])", "actionlint 1.7.12 could not be installed. Install Go 1.21 or newer"],
      [
        "runCheckJsonschema('', [])",
        "check-jsonschema 0.39.0 could not be installed. Install Python 3.11 or newer",
      ],
    ]) {
      const script = `import(${JSON.stringify(module)}).then((linters) => linters.${call})`;
      const env = { PATH: cache, HOME: cache, XDG_CACHE_HOME: cache };
      const failed = promisify(execFile)(process.execPath, ["-e", script], { env });
      await expect(failed).rejects.toMatchObject({ stderr: expect.stringContaining(required ?? "") });
    }
  } finally {
    await rm(cache, { recursive: true });
  }
});

function without<Value extends object>(value: Value | undefined, key: keyof Value) {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => name !== key));
}
