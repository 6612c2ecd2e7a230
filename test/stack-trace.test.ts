import * as pulumi from "@pulumi/pulumi";
import * as debuggable from "@pulumi/pulumi/runtime/debuggable.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { shortenStackTraces } from "../src/stack-trace.js";

const { prepareStackTrace } = Error;

afterEach(() => {
  vi.unstubAllEnvs();
  Error.prepareStackTrace = prepareStackTrace;
});

/** The files of the stack trace that the SDK takes for the state, undefined for Node's. Its functions for that are internal. */
function taken(): (string | undefined)[] {
  const frames = Reflect.get(pulumi.Resource, "callsites").call(pulumi.Resource);
  return frames.map(({ file }: { file?: string }) => file);
}

/** Where the SDK notes that a promise was made. */
function noted(): string {
  const promise = Promise.resolve();
  Reflect.get(debuggable, "debuggablePromise")(promise, "test");
  return Reflect.get(promise, "_debugStackTrace");
}

/** Calls it while stack traces are short, with Node's frames right below, as a program's first module has them. */
function whileShort<Value>(call: () => Value): Promise<Value> {
  return new Promise((resolve) => {
    setImmediate(function program() {
      const restore = shortenStackTraces();
      const value = call();
      restore();
      resolve(value);
    });
  });
}

describe("while Pulumi takes stack traces for itself", () => {
  it("those for the state end with the program's own frames", async () => {
    const own = expect.stringMatching(/stack-trace\.test\.ts$/);
    expect(taken()).toContain(undefined);
    const files = await whileShort(taken);
    expect(files.slice(0, 2)).toEqual([expect.stringContaining("resource."), own]);
    expect(files.at(-1)).toEqual(own);
    expect(Error.prepareStackTrace).toBe(prepareStackTrace);
  });

  it("those of its promises are not made", async () => {
    expect(await whileShort(noted)).toBe("");
    expect(noted()).toContain("stack-trace.test.ts");
  });

  it("an error of the program keeps the whole of its own, also when it is read there", async () => {
    const [read, unread] = await whileShort(() => {
      const { stack } = new Error("read");
      return [stack, new Error("unread")] as const;
    });
    expect(read).toMatch(/\(node:.*$/);
    expect(unread.stack).toMatch(/\(node:.*$/);
  });

  it("all are left alone for someone who looks for promises that never end", async () => {
    vi.stubEnv("PULUMI_DEBUG_PROMISE_LEAKS", "1");
    expect(await whileShort(noted)).toContain("stack-trace.test.ts");
  });

  it("nothing fails where nobody may set how they are made, or nobody has", () => {
    Reflect.set(Error, "prepareStackTrace", undefined);
    shortenStackTraces()();
    expect(Error.prepareStackTrace).toBeUndefined();

    Object.defineProperty(Error, "prepareStackTrace", { value: prepareStackTrace, writable: false });
    shortenStackTraces()();
    expect(Error.prepareStackTrace).toBe(prepareStackTrace);
    Object.defineProperty(Error, "prepareStackTrace", { writable: true });
  });

  it("what the program has set meanwhile stays", () => {
    const restore = shortenStackTraces();
    const own = () => "own";
    Error.prepareStackTrace = own;
    restore();
    expect(Error.prepareStackTrace).toBe(own);
  });
});
