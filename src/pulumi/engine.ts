import { EngineClient, grpc, LogRequest, LogSeverity } from "./sdk-internals.js";
import { endingError } from "./termination.js";

let connection: ReturnType<typeof connect> | undefined;

/** Connects to the engine, once. @returns undefined if no engine has started this process. */
export function connectToEngine(address = engineAddress()): typeof connection {
  if (connection !== undefined || address === undefined) return connection;
  connection = connect(address);
  // If the engine is gone, each write would raise an uncaught exception, which the SDK prints, which raises the next one, until the
  // machine is out of memory.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return connection;
}

/** Finds the address of the engine that has started this process. With `-v=9` or `--tracing` other arguments come before it. */
export function engineAddress(args: readonly string[] = process.argv.slice(2)): string | undefined {
  return args.find((argument) => /^[\w.:[\]-]+:\d+$/.test(argument));
}

/** `lost` aborts when the engine is gone. A killed engine leaves this process running, with requests that wait to be sent. */
function connect(address: string): { client: EngineClient; lost: AbortSignal } {
  // It is on this machine: not behind the proxy that gRPC would take from the environment.
  const client = new EngineClient(address, grpc.credentials.createInsecure(), {
    "grpc.enable_http_proxy": 0,
  });
  const channel = client.getChannel();
  const controller = new AbortController();
  // An engine listens before it starts this process. So one that cannot be reached is gone, also at the start.
  const follow = () => {
    const state = channel.getConnectivityState(true);
    if (state === grpc.connectivityState.TRANSIENT_FAILURE) controller.abort(endingError());
    else channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, follow);
  };
  follow();
  return { client, lost: controller.signal };
}

/**
 * The engine's own log: what a provider prints appears as mere output. `pulumi.log` would need `pulumi.runtime.resetOptions`, whose
 * settings are global: the dynamic providers of other packages run in this process, too, and would lose their config and project.
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
  const request = new LogRequest()
    // The engine refuses invalid UTF-8, such as half of an emoji.
    .setMessage(line.toWellFormed())
    .setSeverity(severity)
    // Shown while operations run only.
    .setEphemeral(severity === LogSeverity.INFO);
  const error = await new Promise((resolve) => {
    if (engine === undefined) resolve("There is no engine.");
    else engine.log(request, resolve);
  });
  // The engine shows what this process prints, if there is an engine.
  if (error) console.error(line);
}
