import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { getChromium } from "../page/chromium.mjs";
import { FakeMachine } from "./fake-machine.js";

it("uses the Chromium that CHROMIUM_PATH names", async () => {
  using machine = new FakeMachine();
  machine.addCommand("chromium", "");
  const named = machine.addCommand("another", "");
  const missing = join(machine.bin, "missing");
  expect(await getChromium({ ...envOf(machine), CHROMIUM_PATH: named })).toBe(named);
  await expect(getChromium({ ...envOf(machine), CHROMIUM_PATH: missing })).rejects.toThrow(
    `CHROMIUM_PATH is ${missing}, which is no program. Install Chromium`,
  );
});

it("uses the Chromium on PATH, and installs nothing", async () => {
  using machine = new FakeMachine();
  addAptGet(machine);
  const chrome = machine.addCommand("google-chrome", "");
  const PATH = [machine.folder, machine.bin].join(delimiter);
  expect(await getChromium({ ...envOf(machine), PATH })).toBe(chrome);
  expect(existsSync(logOf(machine))).toBe(false);
});

it("installs Debian's Chromium, after repairing what a killed run left", async () => {
  using machine = new FakeMachine();
  addAptGet(machine);
  expect(await getChromium(envOf(machine))).toBe(join(machine.bin, "chromium"));
  expect(commandsOf(machine)).toEqual([
    "dpkg --force-confold --configure -a",
    expect.stringMatching(/^apt-get .* update$/),
    expect.stringMatching(/^apt-get .* install --yes --no-install-recommends chromium$/),
  ]);
});

it("installs Chromium once when two runs start at the same time", async () => {
  using machine = new FakeMachine();
  addAptGet(machine);
  const module = pathToFileURL(join(import.meta.dirname, "../page/chromium.mts"));
  const script = `import { getChromium } from "${module}"; console.log(await getChromium());`;
  const args = ["--input-type=module", "-e", script];
  const run = () => promisify(execFile)(process.execPath, args, { env: envOf(machine) });
  const chromium = { stdout: `${join(machine.bin, "chromium")}\n` };
  expect(await Promise.all([run(), run()])).toMatchObject([chromium, chromium]);
  expect(commandsOf(machine)).toHaveLength(3);
});

it("says what to install if apt-get is missing or fails", async () => {
  using machine = new FakeMachine();
  const advice =
    "Install Chromium (on Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chrome or Chromium.";
  await expect(getChromium(envOf(machine))).rejects.toThrow(
    `Chromium was not found, and there is no apt-get to install it. ${advice}`,
  );
  addAptGet(machine, 'echo "W: slow" >&2; echo "E: no such host" >&2; exit 100');
  await expect(getChromium(envOf(machine))).rejects.toThrow(
    `Chromium was not found, and installing it failed: E: no such host ${advice}`,
  );
});

const envOf = ({ bin, folder }: FakeMachine): NodeJS.ProcessEnv => ({ PATH: bin, TMPDIR: folder });

/** The file to which the fake commands write how they were called. */
const logOf = ({ folder }: FakeMachine) => join(folder, "commands");

const commandsOf = (machine: FakeMachine) => readFileSync(logOf(machine), "utf8").trim().split("\n");

/** Adds an apt-get that logs its commands, and installs a chromium that does nothing. */
function addAptGet(machine: FakeMachine, update = ":"): void {
  const log = logOf(machine);
  const chromium = join(machine.bin, "chromium");
  machine.addCommand("env", 'shift; exec "$@"');
  machine.addCommand("sudo", 'shift; exec "$@"');
  machine.addCommand("dpkg", `echo "dpkg $*" >> "${log}"`);
  const install = `/bin/sleep 0.3; printf '#!/bin/sh\\n' > "${chromium}"; /bin/chmod +x "${chromium}"`;
  machine.addCommand(
    "apt-get",
    `echo "apt-get $*" >> "${log}"\ncase "$*" in\n*update*) ${update};;\n*) ${install};;\nesac`,
  );
}
