/** A file of Pulumi's SDK, on any system. The SDK may be there twice, so its own place is not asked for. */
const SDK = /[\\/]node_modules[\\/]@pulumi[\\/]pulumi[\\/]/;

/**
 * Makes the stack traces that Pulumi takes for itself short, until the returned function is called. All others stay as
 * they are.
 *
 * - Pulumi keeps a stack trace with every resource of the state. Below the program's own frames it holds those of Node's
 *   and TypeScript's loaders and of Pulumi's runner, which are the same for all webhooks and of use to nobody: a third of
 *   what the state has of a webhook. The engine writes the whole state about twice per create, so its time grows with
 *   each byte. What was declared where stays.
 * - Pulumi notes for each property, four times, where it was made. It shows that to those who set
 *   PULUMI_DEBUG_PROMISE_LEAKS; for all others, looking up the sources took a third of the program's time.
 *
 * It rests on V8's `Error.prepareStackTrace`, and on the names of the two functions of the SDK that take them: were they
 * renamed, the stack traces would be long again. Who has set `prepareStackTrace`, as source maps do, is asked as before
 * for what remains.
 */
export function shortenStackTraces(): () => void {
  const previous = Error.prepareStackTrace;
  if (typeof previous !== "function" || process.env.PULUMI_DEBUG_PROMISE_LEAKS) return () => {};
  const shortening: typeof previous = (error, frames) => {
    const taker = takerOf(frames);
    if (taker === "debuggablePromise") return "";
    return previous.call(Error, error, taker === "callsites" ? withoutStart(frames) : frames);
  };
  // Where the property is read-only, an assignment would throw.
  Reflect.set(Error, "prepareStackTrace", shortening);
  return () => {
    // What the program has set meanwhile stays.
    if (Error.prepareStackTrace === shortening) Error.prepareStackTrace = previous;
  };
}

/** The function of the SDK that takes the stack trace: the one that made the error. */
function takerOf([frame]: NodeJS.CallSite[]): string | null | undefined {
  return SDK.test(frame?.getFileName() ?? "") ? frame?.getFunctionName() : undefined;
}

function withoutStart(frames: NodeJS.CallSite[]): NodeJS.CallSite[] {
  return frames.slice(0, frames.findLastIndex((frame) => !isOfStart(frame)) + 1);
}

/** Whether the frame is Node's, or Pulumi's, or JavaScript's own, which has no file. */
function isOfStart(frame: NodeJS.CallSite): boolean {
  const file = frame.getFileName();
  return file ? file.startsWith("node:") || SDK.test(file) : !frame.isEval();
}
