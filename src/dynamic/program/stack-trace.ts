import { isOfSdk, purposeOf } from "../../pulumi/sdk-internals.js";

/**
 * Shortens the stack traces that Pulumi takes for itself, until the returned function is called.
 *
 * - Pulumi stores a stack trace with every resource. Below the program's own frames it has those of Node's and
 *   TypeScript's loaders and of Pulumi's runner, which are the same for all webhooks: a third of the state of a webhook.
 *   The engine writes the whole state about twice per create, so its time grows with each byte. The place of the
 *   declaration stays.
 * - Pulumi records four times for each property where it was created, and shows that only with
 *   PULUMI_DEBUG_PROMISE_LEAKS. For everyone else, looking up the sources took a third of the program's time.
 *
 * It rests on V8's `Error.prepareStackTrace`, and on the names of two functions of the SDK. A `prepareStackTrace` that is set
 * already is called for what remains.
 */
export function shortenStackTraces(): () => void {
  const previous = Error.prepareStackTrace;
  if (typeof previous !== "function" || process.env.PULUMI_DEBUG_PROMISE_LEAKS) return () => {};
  const shortening: typeof previous = (error, frames) => {
    const purpose = purposeOf(frames);
    if (purpose === "unused") return "";
    const end =
      purpose === "stored" ? frames.findLastIndex((frame) => !isOfRunner(frame)) + 1 : frames.length;
    return previous.call(Error, error, frames.slice(0, end));
  };
  Error.prepareStackTrace = shortening;
  return () => {
    Error.prepareStackTrace = previous;
  };
}

/** Reports whether a frame belongs to Node, to Pulumi, or to JavaScript itself, which has no file. */
function isOfRunner(frame: NodeJS.CallSite): boolean {
  const file = frame.getFileName();
  return file ? file.startsWith("node:") || isOfSdk(frame) : !frame.isEval();
}
