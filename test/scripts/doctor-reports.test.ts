import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("docs/doctor.md shows what the doctor prints, as node scripts/doctor-reports.mts writes it", {
  timeout: 60_000,
}, async () => {
  const script = resolve(import.meta.dirname, "../../scripts/doctor-reports.mts");
  const { stderr } = await promisify(execFile)(process.execPath, [script, "--check"]);
  expect(stderr).toBe("");
});
