import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { builtFile } from "../commands/built-command.js";

it("counts an engine as gone that was killed before this process could connect to it", async () => {
  const script = `
    const { connectToEngine } = require(${JSON.stringify(builtFile("dist/pulumi/engine.js"))});
    connectToEngine("127.0.0.1:1").lost.addEventListener("abort", () => process.exit(42));
    setInterval(() => {}, 1000); // A provider's server keeps it alive.`;
  const child = spawn(process.execPath, ["-e", script], { stdio: "inherit", timeout: 50_000 });
  expect(await once(child, "close")).toEqual([42, null]);
}, 60_000);
