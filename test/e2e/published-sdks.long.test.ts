import { execFileSync } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import schema from "../../plugin/schema.json" with { type: "json" };
import { findFreePort } from "../../scripts/listen.mts";
import { startSimulator } from "../../simulator/src/index.js";
import { takeCalls } from "../calls.js";
import type { Language } from "../support/languages.js";
import { createMachine, useExample } from "../support/machines.js";
import { type Line, runLine } from "../support/page.js";
import { buildWheel, serveRelease } from "../support/release.js";
import { KEY, SECRET } from "../support/stack.js";

let release: Awaited<ReturnType<typeof serveRelease>>;
beforeAll(async () => {
  release = await serveRelease();
}, 900_000);
afterAll(() => release[Symbol.asyncDispose]());

it.each([
  {
    language: "go",
    prepare: "go mod tidy",
    test: "go test -tags simulator .",
    passed: "ok ",
    automation: "go run ./automation",
  },
  {
    language: "python",
    prepare: "true",
    test: "venv/bin/python -m pip install --quiet pytest requests && venv/bin/python -m pytest --quiet test_simulator.py",
    passed: "3 passed",
    automation: "venv/bin/python automation/deploy.py",
  },
] as const)(
  "a team without Node.js runs each example with the SDK that the release published ($language)",
  async ({ language, prepare, test, passed, automation }) => {
    await using project = await createProject(language);
    const { api, run } = project;
    await run(prepare);
    await run("node --version", { code: 127 });
    await run("pulumi stack init dev && pulumi install");
    await run("pulumi config set --secret hookSecret", { answer: SECRET });
    await run("pulumi up");
    expect(takeCalls(api).toSorted()).toEqual(["create Orders", "create refunds"]);
    expect(await run(test)).toContain(passed);
    await project.expectNoSimulator();
    await run("cd fleet && pulumi stack init fleet && pulumi up");
    const fleet = ["logistics/shipments", "payments/orders", "payments/refunds"];
    expect(takeCalls(api).toSorted()).toEqual(fleet.map((name) => `create ${name}`));
    expect(await run(`API_URL=${api.url} API_KEY=${KEY} ${automation}`)).toMatch(/Webhook \d+ is up to date/);
  },
);

it("an index of Python packages accepts the wheel by the command of the release", async () => {
  const folder = await mkdtemp(join(dirname(inject("home")), "index-"));
  const machine: Line = { folder, environment: process.env };
  const wheel = await buildWheel();
  const port = await findFreePort();
  await writeFile(join(folder, "tools.txt"), "pypiserver==2.4.2\nuv==0.13.9\n");
  await runLine("python3 -m venv venv && venv/bin/pip install --quiet --requirement tools.txt", machine);
  const url = `http://127.0.0.1:${port}`;
  const publish = `venv/bin/uv publish --publish-url ${url} --username user --password none ${wheel}`;
  const server = `mkdir packages; venv/bin/pypi-server run --port ${port} --interface 127.0.0.1 --passwords . --authenticate . packages & server=$!`;
  const wait = `until curl --silent --fail --output /dev/null ${url}/simple/; do sleep 0.2; done`;
  const install = `venv/bin/pip download --quiet --no-deps --index-url ${url}/simple/ pulumi_webhooks==${schema.version}`;
  await runLine(`${server}; trap "kill $server" EXIT; ${wait}; ${publish} && ${install}`, machine);
});

async function createProject(language: Language) {
  const api = await startSimulator({ apiKey: KEY });
  const machine = await createMachine(release.environment);
  await useExample(machine, { language, api });
  return {
    api,
    run: (line: string, options: Partial<Line> = {}) => runLine(line, { ...machine, ...options }),
    /** The test ends only the pulumi that runs the simulator. */
    expectNoSimulator: () =>
      expect
        .poll(() => execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" }), { timeout: 30_000 })
        .not.toMatch(new RegExp(`^${dirname(machine.folder)}/.* simulator$`, "m")),
    [Symbol.asyncDispose]: () => api.close(),
  };
}
