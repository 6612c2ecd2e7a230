import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import { connectToEngine } from "./connection.js";

/**
 * The engine's own log.
 *
 * What the provider process prints appears as mere output. `pulumi.log` would need `pulumi.runtime.resetOptions`, whose
 * settings are global: the dynamic providers of other packages run in the same process, and would lose their config and
 * their project. So this is a connection of its own, by the SDK's client for the engine.
 */
export const engineLog = {
  warn: (line: string): Promise<void> | void => write(line, LogSeverity.WARNING),
  progress: (line: string): Promise<void> | void => write(line, LogSeverity.INFO),
};

let delivered: Promise<void> = Promise.resolve();

/** Sends a line when the lines before it have arrived: the engine would not keep their order. */
function write(line: string, severity: LogSeverity): Promise<void> {
  delivered = delivered.then(() => send(line, severity));
  return delivered;
}

async function send(line: string, severity: LogSeverity): Promise<void> {
  const engine = connectToEngine()?.client;
  const request = new LogRequest();
  // The engine refuses invalid UTF-8, such as half of an emoji.
  request.setMessage(line.toWellFormed());
  request.setSeverity(severity);
  // Shown while operations run only.
  request.setEphemeral(severity === LogSeverity.INFO);
  const error = await new Promise((resolve) => {
    if (engine === undefined) resolve("There is no engine.");
    else engine.log(request, resolve);
  });
  // The engine shows what this process prints, if there is an engine.
  if (error) console.error(line);
}
