import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { startSimulator } from "../../src/simulator/index.js";
import { takeCalls } from "../calls.js";
import { createMachine, useExample } from "../support/machines.js";
import { runLine } from "../support/page.js";
import { serveRelease } from "../support/release.js";
import { KEY, SECRET } from "../support/stack.js";

const BUILD = join(import.meta.dirname, "../../scripts/build-wheel.mts");

it("a Python program deploys with the wheel, is typed, and downloads the plugin by itself", async () => {
  await using release = await serveRelease();
  const wheels = join(dirname(inject("home")), "wheel");
  const { stdout } = await promisify(execFile)(process.execPath, [BUILD, "--out", wheels]);
  const [, version = ""] = /pulumi_webhooks-(.*)-py3-none-any\.whl\n$/.exec(stdout) ?? [];

  const api = await startSimulator({ apiKey: KEY });
  const machine = await createMachine(release.url);
  await useExample(machine, { language: "python", api });
  machine.environment.PIP_FIND_LINKS = [process.env.PIP_FIND_LINKS, wheels].filter(Boolean).join(" ");
  const requirements = `pulumi>=3.231.0,<4.0.0\npulumi_webhooks==${version}\nmypy==2.4.1\n`;
  await writeFile(join(machine.folder, "requirements.txt"), requirements);
  await runLine("pulumi stack init dev && pulumi install", machine);
  await runLine("pulumi config set --secret hookSecret", { ...machine, answer: SECRET });
  await runLine("pulumi up", machine);
  expect(takeCalls(api).toSorted()).toEqual(["create Orders", "create refunds"]);

  const typed = `import pulumi_webhooks as webhooks
webhooks.Provider("eu", api_key="key", base_url="https://example.com", drift=webhooks.Drift.PROBE)
`;
  await writeFile(join(machine.folder, "typed.py"), typed);
  await runLine("venv/bin/mypy --strict typed.py", machine);
  await writeFile(join(machine.folder, "typed.py"), typed.replace("webhooks.Drift.PROBE", '"probe"'));
  expect(await runLine("venv/bin/mypy typed.py", { ...machine, code: 1 })).toContain("[call-overload]");
  await api.close();
});
