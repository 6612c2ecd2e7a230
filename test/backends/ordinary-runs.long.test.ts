import { afterAll, expect, it } from "vitest";
import { startCloud } from "../../scripts/backends/cloud.mts";
import { startS3 } from "../../scripts/backends/s3.mts";
import { upInFlight } from "../support/kill.js";
import { webhook } from "../support/programs.js";
import { Stack } from "../support/stack.js";
import { createStack, createStackIn } from "./stacks.js";

// What happens every day asks nothing: a hundred runs on four backends, counted.

const counts: Record<string, { runs: number; asked: number }> = {};
afterAll(() => console.log("Ordinary runs, and what was asked:", counts));

const [A, B] = [webhook("a"), webhook("b")];
const moved = webhook("a2", "", `{ aliases: [{ name: "a" }] }`);
const plugin = { face: "plugin" } as const;

type Place = { stack: Stack; backend?: AsyncDisposable };

async function inS3(): Promise<Place> {
  const backend = await startS3();
  return { stack: await createStackIn(backend, "ordinary", plugin), backend };
}

async function inCloud(journals: boolean): Promise<Place> {
  const backend = await startCloud({ journals });
  return { stack: await createStack(backend, "acme/test/dev", plugin), backend };
}

it.each<[string, () => Promise<Place>]>([
  ["a folder", async () => ({ stack: await Stack.create(plugin) })],
  ["Pulumi Cloud's protocol with journals", () => inCloud(true)],
  ["Pulumi Cloud's protocol without journals", () => inCloud(false)],
  ["S3", inS3],
])("ordinary runs ask nothing on %s", { timeout: 3_600_000 }, async (title, start) => {
  const { stack, backend } = await start();
  const count = { runs: 0, asked: 0 };
  counts[title] = count;
  const run = async (...args: string[]) => {
    const { output, code } = await stack.run(...args, "--yes", "--skip-preview");
    count.runs++;
    if (/changes no webhook of this stack, because/.test(output)) count.asked++;
    expect(code, output).toBe(0);
  };
  const up = async (program: string) => {
    await stack.declare(program);
    await run("up");
  };
  for (const round of [1, 2]) {
    await up(A + B);
    await up(A + B);
    await stack.configure({}, { hookSecret: `rotated-${round}` });
    await run("up");
    await up(moved + B);
    await up(B);
    await run("refresh");
    await up(A + B);
    stack.passMinutes();
    await stack.ok("state", "delete", stack.urn("b"), "--yes");
    await up(A + B);
    await run("up", "--refresh");
    await stack.declare(A + B + webhook("c"));
    const { child, ended } = await upInFlight(stack, { fault: { kind: "latency", milliseconds: 1500 } });
    child.kill("SIGINT");
    await ended;
    await run("up");
    await run("destroy");
    await up(A);
    await run("destroy");
  }
  expect(await stack.webhooks("resolve", "--stack", stack.name)).toMatchObject({ code: 0 });
  expect(count.asked).toBe(0);
  await stack[Symbol.asyncDispose]();
  await backend?.[Symbol.asyncDispose]();
});
