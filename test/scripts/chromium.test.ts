import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getChromium } from "../simulator/chromium.js";
import { FakeMachine } from "./fake-machine.js";

/** A machine with an apt-get that notes what it is asked for, and installs a chromium that does nothing. */
class ChromiumMachine extends FakeMachine {
  readonly env = { PATH: this.bin, TMPDIR: this.folder };
  readonly #log = join(this.folder, "asked");

  constructor(update = ":") {
    super();
    for (const name of ["env", "sudo"]) this.addCommand(name, 'shift; exec "$@"');
    this.addCommand("dpkg", `echo "dpkg $*" >> "${this.#log}"`);
    const install = `printf '#!/bin/sh\\n' > "${this.bin}/chromium"; /bin/chmod +x "${this.bin}/chromium"`;
    const commands = `case "$*" in\n*update*) ${update};;\n*) ${install};;\nesac`;
    this.addCommand("apt-get", `echo "apt-get $*" >> "${this.#log}"\n${commands}`);
  }

  get asked(): string[] {
    return readFileSync(this.#log, "utf8").trim().split("\n");
  }
}

describe("Chromium, for the tests of the UI,", () => {
  it("is the one that CHROMIUM_PATH names, else the one on PATH, and nothing is installed", async () => {
    using machine = new ChromiumMachine();
    const { env, bin } = machine;
    const [chrome, named] = ["google-chrome", "another"].map((name) => machine.addCommand(name, ""));
    expect(await getChromium({ ...env, CHROMIUM_PATH: named })).toBe(named);
    expect(await getChromium({ ...env, PATH: `${machine.folder}:${bin}` })).toBe(chrome);
    expect(() => machine.asked).toThrow("ENOENT");
    const missing = join(bin, "missing");
    const message = `CHROMIUM_PATH is ${missing}, which is not a program. Install Chromium`;
    await expect(getChromium({ ...env, CHROMIUM_PATH: missing })).rejects.toThrow(message);
  });

  it("is else Debian's, installed after completing what a killed run left", async () => {
    using machine = new ChromiumMachine();
    expect(await getChromium(machine.env)).toBe(join(machine.bin, "chromium"));
    expect(machine.asked).toEqual([
      "dpkg --force-confold --configure -a",
      expect.stringMatching(/^apt-get .* update$/),
      expect.stringMatching(/^apt-get .* install --yes --no-install-recommends chromium$/),
    ]);
  });

  it("fails with one line of advice if apt-get is missing or fails", async () => {
    const advice = "Install Chromium (on Debian: apt-get install chromium), or set CHROMIUM_PATH";
    using failing = new ChromiumMachine('echo "W: slow" >&2; echo "E: no such host" >&2; exit 100');
    const failed = "Chromium is missing, and installing it failed:";
    await expect(getChromium(failing.env)).rejects.toThrow(`${failed} E: no such host ${advice}`);
    using machine = new FakeMachine();
    const env = { PATH: machine.bin, TMPDIR: machine.folder };
    await expect(getChromium(env)).rejects.toThrow(new RegExp(`${failed} .*ENOENT.*Install Chromium`));
  });
});
