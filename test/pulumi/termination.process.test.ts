import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { describe, expect, it } from "vitest";
import { builtFile } from "../commands/built-command.js";

/** A process with an operation, which ends when the test says so. It reports what happens. */
class Process implements AsyncDisposable {
  readonly #child = spawn(process.execPath, ["-e", SCRIPT(builtFile("dist/pulumi/termination.js"))], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  readonly #reports = on(this.#child, "message");
  readonly ended = once(this.#child, "close");

  /** Returns the next report. */
  async report(): Promise<unknown> {
    const { value } = await this.#reports.next();
    return value[0];
  }

  send(message: "listen" | "start" | "end" | "cancel"): void {
    this.#child.send(message);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }
}

const SCRIPT = (file: string) => `
  const { Termination } = require(${JSON.stringify(file)});
  const termination = new Termination({
    atEnd: () => process.send(termination.resultsMayBeLost.aborted ? "interrupted" : "ended well"),
  });
  const { stopSending } = termination;
  stopSending.addEventListener("abort", () => process.send(stopSending.reason.message));
  let end;
  const actions = {
    listen: () => process.on("SIGTERM", () => process.send("heard")),
    start: () => termination.finish(() => new Promise((resolve) => (end = resolve))),
    end: () => end(),
    cancel: () => termination.cancel(),
  };
  process.on("message", (message) => {
    actions[message]();
    process.send(message + " done");
  });
  process.send("ready");`;

const ENDING = "This run is ending: no request was sent for this webhook. Run the command again.";

describe.concurrent("the provider process", { timeout: 30_000 }, () => {
  it.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)("ends on %s if nothing is in flight", async (signal) => {
    await using idle = new Process();
    expect(await idle.report()).toBe("ready");
    idle.kill(signal);
    expect([await idle.report(), await idle.report()]).toEqual([ENDING, "ended well"]);
    expect(await idle.ended).toEqual([null, signal]);
  });

  it("ends on SIGTERM only when its operation has ended, which is no good end, and sends nothing new until then", async () => {
    await using busy = new Process();
    expect(await busy.report()).toBe("ready");
    busy.send("start");
    expect(await busy.report()).toBe("start done");
    busy.kill("SIGTERM");
    expect(await busy.report()).toBe(ENDING);
    busy.send("end");
    expect(await busy.report()).toBe("end done");
    expect(await busy.report()).toBe("interrupted");
    expect(await busy.ended).toEqual([null, "SIGTERM"]);
  });

  it("ends well as soon as the engine cancels if nothing is in flight: a language host may kill it then", async () => {
    await using idle = new Process();
    expect(await idle.report()).toBe("ready");
    for (const message of ["start", "end"] as const) {
      idle.send(message);
      expect(await idle.report()).toBe(`${message} done`);
    }
    idle.send("cancel");
    expect([await idle.report(), await idle.report()]).toEqual([ENDING, "ended well"]);
  });

  it("leaves its end to another package that listens to the signal", async () => {
    await using shared = new Process();
    expect(await shared.report()).toBe("ready");
    shared.send("listen");
    expect(await shared.report()).toBe("listen done");
    shared.kill("SIGTERM");
    const reports = [await shared.report(), await shared.report(), await shared.report()];
    expect(reports.sort()).toEqual([ENDING, "ended well", "heard"]);
    shared.send("start");
    expect(await shared.report()).toBe("start done");
  });
});
