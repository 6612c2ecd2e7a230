import { dirname, sep } from "node:path";

const PULUMI = dirname(require.resolve("@pulumi/pulumi/package.json")) + sep;

/**
 * Leaves the start of the program out of stack traces, until the returned function is called.
 *
 * Pulumi keeps a stack trace with every resource of the state. Below the program's own frames it holds those of Node's
 * and TypeScript's loaders and of Pulumi's runner: a quarter of what the state has of a webhook, the same for all, and of
 * use to nobody. The engine writes the whole state about twice per create, so its time grows with each byte.
 *
 * It rests on V8's `Error.prepareStackTrace`, which makes the text that Pulumi reads the frames from. Who has set that,
 * as source maps do, is asked as before, for the frames that stay.
 */
export function withoutStart(): () => void {
  const { prepareStackTrace } = Error;
  if (prepareStackTrace === undefined) return () => {};
  Error.prepareStackTrace = (error, frames) => {
    const last = frames.findLastIndex((frame) => !isOfStart(frame));
    return prepareStackTrace(error, frames.slice(0, last + 1));
  };
  return () => {
    Error.prepareStackTrace = prepareStackTrace;
  };
}

/** Whether the frame is Node's, or Pulumi's, or JavaScript's own, which has no file. */
function isOfStart(frame: NodeJS.CallSite): boolean {
  const file = frame.getFileName();
  return file ? file.startsWith("node:") || file.startsWith(PULUMI) : !frame.isEval();
}
