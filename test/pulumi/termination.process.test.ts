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

  /** Waits for the next reports. */
  async expect(...reports: unknown[]): Promise<void> {
    for (const report of reports) expect((await this.#reports.next()).value).toEqual([report, undefined]);
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
    await idle.expect("ready");
    idle.kill(signal);
    await idle.expect(ENDING, "ended well");
    expect(await idle.ended).toEqual([null, signal]);
  });

  it("ends on SIGTERM only when its operation has ended, which is no good end, and sends nothing new until then", async () => {
    await using busy = new Process();
    busy.send("start");
    await busy.expect("ready", "start done");
    busy.kill("SIGTERM");
    await busy.expect(ENDING);
    busy.send("end");
    await busy.expect("end done", "interrupted");
    expect(await busy.ended).toEqual([null, "SIGTERM"]);
  });

  it("ends well as soon as the engine cancels if nothing is in flight: a language host may kill it then", async () => {
    await using idle = new Process();
    await idle.expect("ready");
    for (const message of ["start", "end"] as const) {
      idle.send(message);
      await idle.expect(`${message} done`);
    }
    idle.send("cancel");
    await idle.expect(ENDING, "ended well");
  });

  it("leaves its end to another package that listens to the signal", async () => {
    await using shared = new Process();
    shared.send("listen");
    await shared.expect("ready", "listen done");
    shared.kill("SIGTERM");
    // Its own listener came first.
    await shared.expect(ENDING, "ended well", "heard");
    shared.send("start");
    await shared.expect("start done");
  });
});
