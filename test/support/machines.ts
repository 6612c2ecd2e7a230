import { cp, mkdir, mkdtemp } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import type { Simulator } from "../../simulator/src/index.js";
import type { Language } from "./languages.js";
import type { Reader } from "./page.js";
import { createPathWithoutNode } from "./release.js";

/** What people commit. */
const COMMITTED = (source: string) => !/\/(?:venv|sdks|home|bin|state)(?:\/|$)/.test(source);

/**
 * Creates the machine of a new user, without Node.js: an empty folder, and a home. Downloads of package managers are those of
 * the machine that runs the tests.
 *
 * @param release the environment in which it finds a release.
 */
export async function createMachine(release: NodeJS.ProcessEnv = {}): Promise<Reader> {
  const root = await mkdtemp(join(dirname(inject("home")), "machine-"));
  const folder = join(root, "hooks");
  const home = join(root, "home");
  const state = join(root, "state");
  for (const path of [folder, home, state]) await mkdir(path);
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
  const caches = {
    PIP_CACHE_DIR: join(homedir(), ".cache/pip"),
    GOCACHE: join(homedir(), ".cache/go-build"),
    GOPATH: join(homedir(), "go"),
  };
  return {
    folder,
    environment: {
      ...caches,
      ...inherited,
      HOME: home,
      PULUMI_HOME: join(home, ".pulumi"), // By default, Pulumi ignores HOME.
      PATH: await createPathWithoutNode(root),
      PULUMI_BACKEND_URL: `file://${state}`,
      PULUMI_CONFIG_PASSPHRASE: "passphrase",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_SKIP_CONFIRMATIONS: "true",
      PULUMI_OPTION_SKIP_PREVIEW: "true", // Of each up: it would take twice the time.
      ...release,
    },
    answers: {},
    instead: {},
  };
}

/** Copies an example into the project's folder, with a simulator as its API. */
export async function useExample(
  { folder, environment }: Reader,
  { language, api }: { language: Language; api: Simulator },
): Promise<void> {
  await cp(join(import.meta.dirname, "../../examples/languages", language), folder, { recursive: true });
  Object.assign(environment, { WEBHOOKS_BASE_URL: api.url, WEBHOOKS_API_KEY: api.apiKey });
}

/** Creates the machine of a colleague, with a clone of the project, and the same backend. */
export async function cloneTo(release: NodeJS.ProcessEnv, reader: Reader): Promise<Reader> {
  const { folder, environment } = await createMachine(release);
  await cp(reader.folder, folder, { recursive: true, filter: COMMITTED });
  const { PULUMI_BACKEND_URL } = reader.environment;
  return { ...reader, folder, environment: { ...environment, PULUMI_BACKEND_URL } };
}
