import * as pulumi from "@pulumi/pulumi";
import { shortenStackTraces } from "../stack-trace.js";

/** Shows the user what is neither a result nor an error. */
export interface EngineLog {
  /** Shows a line among the stack's warnings, which are counted. */
  warn(line: string): void;
  /** Shows a line while operations run, and not in the summary. */
  progress(line: string): void;
}

let connected = false;

/**
 * The engine's own log.
 *
 * What the provider process prints appears as mere output, and the SDK connects its log in programs only. The engine
 * passes its address to the process as the first argument.
 */
export const engineLog: EngineLog = {
  warn: (line) => write((log) => log.warn(line)),
  progress: (line) => write((log) => log.info(line, undefined, undefined, true)),
};

function write(line: (log: typeof pulumi.log) => Promise<void>): void {
  const { log } = connect();
  const restore = shortenStackTraces();
  try {
    void line(log);
  } finally {
    restore();
  }
}

function connect(): typeof pulumi {
  const engineAddress = process.argv[2];
  if (!connected && engineAddress !== undefined && /^[\w.:[\]-]+:\d+$/.test(engineAddress)) {
    pulumi.runtime.resetOptions("project", "stack", 1, engineAddress, "", false, "");
  }
  connected = true;
  return pulumi;
}
