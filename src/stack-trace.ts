import { dirname, sep } from "node:path";

const PULUMI = dirname(require.resolve("@pulumi/pulumi/package.json")) + sep;

/**
 * Makes the stack traces that Pulumi takes for itself short, until the returned function is called. Those of errors that
 * are thrown meanwhile stay as they are, since V8 makes the text of a stack trace when it is read.
 *
 * - Pulumi keeps a stack trace with every resource of the state. Below the program's own frames it holds those of Node's
 *   and TypeScript's loaders and of Pulumi's runner, which are the same for all webhooks and of use to nobody: a third of
 *   what the state has of a webhook. The engine writes the whole state about twice per create, so its time grows with
 *   each byte. What was declared where stays.
 * - Pulumi notes for each property, four times, where it was made. It shows that to those who set
 *   PULUMI_DEBUG_PROMISE_LEAKS; for all others, looking up the sources took a third of the program's time.
 *
 * It rests on V8's `Error.prepareStackTrace`. Who has set that, as source maps do, is asked as before for what remains.
 */
export function shortenStackTraces(): () => void {
  const { prepareStackTrace } = Error;
  if (prepareStackTrace === undefined || process.env.PULUMI_DEBUG_PROMISE_LEAKS) return () => {};
  Error.prepareStackTrace = (error, frames) => {
    if (frames[0]?.getFunctionName() === "debuggablePromise") return "";
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
