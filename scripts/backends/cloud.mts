// Runs a server of Pulumi Cloud's protocol for the tests and the bench, built from this repository's Go program.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildWithGo, checkGo } from "../go-build.mts";
import { installOnce } from "../install-once.mts";
import { type Backend, endWithProcess, stop } from "./backend.mts";

const PROGRAM = "cloud";
const MODULE = join(import.meta.dirname, PROGRAM);

/** What a token may do. A service that knows no such role says that it has expired. */
export type Role = "read" | "write" | "admin" | "expired";

/** What a test may change while the server runs. */
export interface CloudSettings {
  /** The organizations of every user. The first one is the default. */
  organizations: string[];
  tokens: Record<string, Role>;
  /** Whether it replies to nothing. */
  outage: boolean;
  /** Whether runs send a journal. Otherwise they send whole states, without the operations that have begun. */
  journals: boolean;
  /** Whether an export during a run shows what its journal says so far. */
  exportsRunning: boolean;
  /** How long a killed run keeps its stack. */
  leaseSeconds: number;
}

/** A service with stacks of several organizations. */
export interface Cloud extends Backend {
  /** Returns the environment in which an organization is the default one. */
  environment(organization: string): Promise<Record<string, string>>;
  /** Its URL, for a browser and a proxy. */
  url: string;
  /** Changes settings. */
  set(settings: Partial<CloudSettings>): Promise<void>;
}

/** Starts a service without stacks. The first time on a machine, its program is built. */
export async function startCloud(settings: Partial<CloudSettings> = {}): Promise<Cloud> {
  const server = spawn(join(await getProgram(), PROGRAM), { stdio: ["pipe", "pipe", "inherit"] });
  endWithProcess(server);
  const [address] = await once(createInterface(server.stdout), "line");
  const url = `http://${address}`;
  const set = async (changes: Partial<CloudSettings>) => {
    const { ok } = await fetch(`${url}/@settings`, { method: "PATCH", body: JSON.stringify(changes) });
    if (!ok) throw new Error("The server refused its settings.");
  };
  await set({ tokens: { admin: "admin" }, ...settings });
  return {
    url,
    set,
    environment: async (organization) => {
      await set({ organizations: [organization, "other"] });
      return { PULUMI_BACKEND_URL: url, PULUMI_ACCESS_TOKEN: "admin" };
    },
    [Symbol.asyncDispose]: () => stop(server, "SIGTERM"),
  };
}

/** Builds the server, unless one of this source was built. */
function getProgram(): Promise<string> {
  const source = readdirSync(MODULE).map((name) => readFileSync(join(MODULE, name), "utf8"));
  return installOnce({
    name: `${PROGRAM}-${createHash("sha256").update(source.join()).digest("hex").slice(0, 8)}`,
    title: "a server of Pulumi Cloud's protocol",
    install: async (folder) => {
      await checkGo();
      await buildWithGo([{ output: join(folder, PROGRAM), module: MODULE, source: "." }]);
    },
  });
}
