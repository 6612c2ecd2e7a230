import { cp, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { getLanguages } from "../../scripts/languages.mts";
import { type Line, runLine } from "../support/page.js";

const ROOT = join(import.meta.dirname, "../..");
const GO_SDK = join(ROOT, "sdk/go");
const PYTHON = [join(ROOT, "examples/languages/python"), join(ROOT, "examples/policy/python")];

it("sdk/ is what the schema gives", async () => {
  await getLanguages();
  await runLine("node scripts/sdks.mts --check", { folder: ROOT, environment: process.env });
});

describe("the Go SDK, and the Go examples with it,", () => {
  let examples: Line;
  const sdk = { folder: GO_SDK, environment: process.env };
  beforeAll(async () => {
    const folder = await copy("examples/languages/go");
    examples = { folder, environment: process.env };
    const line = `go mod edit -replace $(go list -C ${GO_SDK} -m)=${GO_SDK} && go mod tidy`;
    await runLine(line, examples);
  });

  it("are formatted, and each package of them is vetted", async () => {
    for (const line of [sdk, examples]) expect(await runLine("gofmt -l .", line)).toBe("");
    await runLine("go vet ./...", sdk);
    await runLine("go vet -tags simulator ./...", examples);
  });

  it("pass the test with mocks under the race detector", async () => {
    await runLine("go test -race .", examples);
  });

  it("need no other go.mod", async () => {
    // The direct requirements: what is indirect follows from them.
    const direct = async (folder: string) =>
      /require \(\n[^)]*\)/.exec(await readFile(join(folder, "go.mod"), "utf8"))?.[0];
    expect(await direct(join(ROOT, "examples/languages/go"))).toBe(await direct(examples.folder));
  });
});

describe("the Python SDK, and the Python examples with it,", () => {
  let machine: Line;
  const TOOLS = "mypy==2.4.1 ruff==0.17.6 pulumi-policy pytest requests types-requests";
  beforeAll(async () => {
    const folder = await copy("sdk/python");
    machine = { folder, environment: process.env };
    await writeFile(join(folder, "tools.txt"), TOOLS.replaceAll(" ", "\n"));
    await runLine("python3 -m venv venv && venv/bin/pip install --quiet . --requirement tools.txt", machine);
    await runLine("venv/bin/ruff check --select E9,F63,F7,F82 pulumi_webhooks", machine);
    // Beside its source, the tools would not take the SDK for an installed package.
    machine = { ...machine, folder: join(folder, "user") };
    await mkdir(machine.folder);
  });

  it("have no error that ruff knows, and the examples follow its style", async () => {
    for (const folder of PYTHON) {
      await runLine(`../venv/bin/ruff check --no-cache ${folder}`, machine);
      await runLine(`../venv/bin/ruff format --no-cache --check ${folder}`, machine);
    }
  });

  it.each([
    "languages/python/__main__.py",
    "languages/python/test_webhooks.py",
    "languages/python/test_simulator.py",
    "languages/python/automation/deploy.py",
    "languages/python/fleet/__main__.py",
    "policy/python/__main__.py",
  ])("have types with which mypy accepts %s", async (file) => {
    await runLine(`../venv/bin/mypy ${join(ROOT, "examples", file)}`, machine);
  });

  it("accept a member of Drift as a Provider's argument, and no text", async () => {
    const typed = `import pulumi_webhooks as webhooks
webhooks.Provider("eu", api_key="key", base_url="https://example.com", drift=webhooks.Drift.PROBE)
`;
    const check = async (text: string, code = 0) => {
      await writeFile(join(machine.folder, "typed.py"), text);
      return runLine("../venv/bin/mypy typed.py", { ...machine, code });
    };
    await check(typed);
    expect(await check(typed.replace("webhooks.Drift.PROBE", '"probe"'), 1)).toContain("[call-overload]");
  });
});

async function copy(folder: string): Promise<string> {
  const target = await mkdtemp(join(dirname(inject("home")), "sdk-"));
  await cp(join(ROOT, folder), target, { recursive: true });
  return target;
}
