import { afterEach, describe, expect, it, vi } from "vitest";
import { shortenStackTraces } from "../src/stack-trace.js";

afterEach(() => vi.unstubAllEnvs());

/** Where Pulumi notes it, a promise that never ends was made here. */
function debuggablePromise(): string | undefined {
  return new Error("noted").stack;
}

describe("while Pulumi takes stack traces for itself", () => {
  it("they end with the program's own frames", async () => {
    const before = Error.prepareStackTrace;
    // Called by Node itself, whose frames are below this one then.
    const [whole, short] = await new Promise<(string | undefined)[]>((resolve) => {
      setImmediate(() => {
        const whole = new Error("taken").stack;
        const restore = shortenStackTraces();
        const short = new Error("taken").stack;
        restore();
        resolve([whole, short]);
      });
    });
    expect(whole).toMatch(/^Error: taken\n.*stack-trace\.test\.ts:.*\n.*\(node:/);
    expect(short).toMatch(/^Error: taken\n.*stack-trace\.test\.ts:.*$/);
    expect(Error.prepareStackTrace).toBe(before);
  });

  it("those of its promises are not made", () => {
    const restore = shortenStackTraces();
    const noted = debuggablePromise();
    restore();
    expect(noted).toBe("");
    expect(debuggablePromise()).toContain("Error: noted\n    at debuggablePromise (");
  });

  it("an error that is thrown keeps the whole of its own", () => {
    const restore = shortenStackTraces();
    const error = new Error("thrown");
    restore();
    expect(error.stack?.split("\n").length).toBe(new Error("as long").stack?.split("\n").length);
  });

  it("all are left alone for someone who looks for promises that never end", () => {
    vi.stubEnv("PULUMI_DEBUG_PROMISE_LEAKS", "1");
    const restore = shortenStackTraces();
    const noted = debuggablePromise();
    restore();
    expect(noted).toContain("Error: noted\n    at debuggablePromise (");
  });
});
