import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** A server that keeps the states of the tests, each in a place of its own. */
export interface Backend extends AsyncDisposable {
  /** Returns the environment in which Pulumi keeps its states in the place with this name. */
  environment(place: string): Promise<Record<string, string>>;
}

/** Ends a server with this process, if that ends before it stops the server. */
export function endWithProcess(server: ChildProcess): void {
  const kill = () => server.kill("SIGKILL");
  process.once("exit", kill);
  server.once("exit", () => process.off("exit", kill));
}

/** Stops a server, unless it has ended by itself. */
export async function stop(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill(signal);
  await ended;
}
