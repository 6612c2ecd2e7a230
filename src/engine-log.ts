import * as pulumi from "@pulumi/pulumi";

/** Where the provider tells the user something that is neither a result nor an error. */
export interface EngineLog {
  /** Shown with a stack's warnings, and counted. */
  warn(line: string): void;
  /** Shown while operations go on, and not in the summary. */
  progress(line: string): void;
}

let connected = false;

/**
 * The engine's own log.
 *
 * What the provider process prints appears as mere output, and the SDK connects its log in programs only. The engine
 * gives its address to the process as the first argument.
 */
export const engineLog: EngineLog = {
  warn: (line) => void connect().log.warn(line),
  progress: (line) => void connect().log.info(line, undefined, undefined, true),
};

function connect(): typeof pulumi {
  const engineAddress = process.argv[2];
  if (!connected && engineAddress !== undefined && /^[\w.:[\]-]+:\d+$/.test(engineAddress)) {
    pulumi.runtime.resetOptions("project", "stack", 1, engineAddress, "", false, "");
  }
  connected = true;
  return pulumi;
}
