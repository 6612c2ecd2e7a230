import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getChromium } from "../simulator/chromium.js";

let folder: string;
let bin: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chromium-test-"));
  bin = join(folder, "bin");
  mkdirSync(bin);
  env = { PATH: bin, TMPDIR: folder };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function shellScript(name: string, text: string): string {
  const file = join(bin, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** An apt-get that notes what it is asked for, and installs a chromium that does nothing. */
function fakeAptGet(update = ""): void {
  const log = join(folder, "asked");
  shellScript("env", 'shift; exec "$@"');
  shellScript("sudo", 'shift; exec "$@"');
  shellScript("dpkg", `echo "dpkg $*" >> "${log}"`);
  const install = `/bin/sleep 0.3; printf '#!/bin/sh\\n' > "${bin}/chromium"; /bin/chmod +x "${bin}/chromium"`;
  shellScript(
    "apt-get",
    `echo "apt-get $*" >> "${log}"\ncase "$*" in\n*update*) ${update || ":"};;\n*) ${install};;\nesac`,
  );
}

const asked = () => readFileSync(join(folder, "asked"), "utf8").trim().split("\n");

describe("Chromium, for the tests of the UI,", () => {
  it("is the one that CHROMIUM_PATH names", async () => {
    shellScript("chromium", "");
    const named = shellScript("another", "");
    expect(await getChromium({ ...env, CHROMIUM_PATH: named })).toBe(named);
    await expect(getChromium({ ...env, CHROMIUM_PATH: join(bin, "missing") })).rejects.toThrow(
      `CHROMIUM_PATH is ${join(bin, "missing")}, which is not a program. Install Chromium`,
    );
  });

  it("is else the one on PATH, and nothing is installed", async () => {
    fakeAptGet();
    const chrome = shellScript("google-chrome", "");
    expect(await getChromium({ ...env, PATH: [folder, bin].join(delimiter) })).toBe(chrome);
    expect(existsSync(join(folder, "asked"))).toBe(false);
  });

  it("is else Debian's, installed after completing what a killed run left", async () => {
    fakeAptGet();
    expect(await getChromium(env)).toBe(join(bin, "chromium"));
    expect(asked()).toEqual([
      "dpkg --force-confold --configure -a",
      expect.stringMatching(/^apt-get .* update$/),
      expect.stringMatching(/^apt-get .* install --yes --no-install-recommends chromium$/),
    ]);
  });

  it("is installed once when two runs require it", async () => {
    fakeAptGet();
    const module = pathToFileURL(join(import.meta.dirname, "../simulator/chromium.ts"));
    const script = `import { getChromium } from "${module}"; console.log(await getChromium());`;
    const run = () =>
      new Promise((resolve) => {
        execFile(process.execPath, ["--input-type=module", "-e", script], { env }, (_, stdout) =>
          resolve(stdout),
        );
      });
    const chromium = `${join(bin, "chromium")}\n`;
    expect(await Promise.all([run(), run()])).toEqual([chromium, chromium]);
    expect(asked()).toHaveLength(3);
  });

  it("fails with one line of advice if apt-get is missing or fails", async () => {
    const advice =
      "Install Chromium (on Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chrome or Chromium.";
    await expect(getChromium(env)).rejects.toThrow(
      `Chromium is missing, and there is no apt-get to install it. ${advice}`,
    );
    fakeAptGet('echo "W: slow" >&2; echo "E: no such host" >&2; exit 100');
    await expect(getChromium(env)).rejects.toThrow(
      `Chromium is missing, and installing it failed: E: no such host ${advice}`,
    );
  });
});
