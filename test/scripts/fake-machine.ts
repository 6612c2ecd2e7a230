import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder with a PATH that holds only the commands that a test adds. */
export class FakeMachine implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-machine-"));
  readonly bin = join(this.folder, "bin");

  /** Adds a shell script, and returns its path. */
  addCommand(name: string, script: string, bin = this.bin): string {
    mkdirSync(bin, { recursive: true });
    const file = join(bin, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
