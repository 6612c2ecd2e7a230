import { expect, it, vi } from "vitest";
import { findNotedOf, waitForProviders } from "../../../src/commands/resolve/find-unresolved.js";
import { Notes } from "../../../src/notes/notes.js";
import { notesFolder } from "../../../src/pulumi/project.js";
import { makeFolder } from "../../temporary-folder.js";

it("waits for a provider that is still alive no longer than the step of a pipeline may take", async () => {
  vi.stubEnv("PULUMI_HOME", makeFolder());
  const said = vi.spyOn(console, "error").mockReturnValue();
  const notes = new Notes({ folder: notesFolder(process.cwd()) });
  const create = { nonce: "n0nc", urn: "urn:pulumi:dev::test::type::orders", api: "hash" };
  const sentAt = new Date().toISOString();
  notes.noteCreate(create).sent({ sentAt, until: new Date(Date.now() + 60_000).toISOString() });
  const found = findNotedOf({ organization: undefined, project: "test", stack: "dev" });
  const limit = new Date(Date.now() + 50).toISOString();
  expect(await waitForProviders(found, limit)).toBe(true);
  expect(said).toHaveBeenCalledWith(expect.stringContaining(`until ${limit} at the latest`));
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
