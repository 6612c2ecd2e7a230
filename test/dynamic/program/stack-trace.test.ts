import * as pulumi from "@pulumi/pulumi";
import * as debuggable from "@pulumi/pulumi/runtime/debuggable.js";
import { afterEach, expect, it, vi } from "vitest";
import { shortenStackTraces } from "../../../src/dynamic/program/stack-trace.js";

const { prepareStackTrace } = Error;

afterEach(() => {
  vi.unstubAllEnvs();
  Error.prepareStackTrace = prepareStackTrace;
});

/** Returns the files of the stack trace that the SDK takes for the state, undefined for Node's. The function is internal. */
function filesForState(): (string | undefined)[] {
  const frames = Reflect.get(pulumi.Resource, "callsites").call(pulumi.Resource);
  return frames.map(({ file }: { file?: string }) => file);
}

/** Returns the stack trace that the SDK takes for a promise. The function is internal. */
function traceOfPromise(): string {
  const promise = Promise.resolve();
  Reflect.get(debuggable, "debuggablePromise")(promise, "test");
  return Reflect.get(promise, "_debugStackTrace");
}

/** Calls a function while stack traces are short, with Node's frames right below, as in a program's first module. */
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

it("ends the stack traces for the state with the program's own frames", async () => {
  const own = expect.stringMatching(/stack-trace\.test\.ts$/);
  expect(filesForState()).toContain(undefined);
  const files = await whileShort(filesForState);
  expect(files.slice(0, 2)).toEqual([expect.stringContaining("resource."), own]);
  expect(files.at(-1)).toEqual(own);
  expect(Error.prepareStackTrace).toBe(prepareStackTrace);
});

it("leaves out the stack traces of Pulumi's promises", async () => {
  expect(await whileShort(traceOfPromise)).toBe("");
  expect(traceOfPromise()).toContain("stack-trace.test.ts");
});

it("keeps the whole stack trace of the program's errors, even if they are read there", async () => {
  const [read, unread] = await whileShort(() => {
    const { stack } = new Error("read");
    return [stack, new Error("unread")] as const;
  });
  expect(read).toMatch(/\(node:.*$/);
  expect(unread.stack).toMatch(/\(node:.*$/);
});

it("does nothing if PULUMI_DEBUG_PROMISE_LEAKS is set", async () => {
  vi.stubEnv("PULUMI_DEBUG_PROMISE_LEAKS", "1");
  expect(await whileShort(traceOfPromise)).toContain("stack-trace.test.ts");
});

it("does nothing if Error.prepareStackTrace is unset", () => {
  Reflect.set(Error, "prepareStackTrace", undefined);
  shortenStackTraces()();
  expect(Error.prepareStackTrace).toBeUndefined();
});
