import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DELIVERY_MILLISECONDS, Journal } from "../../src/journal/journal.js";
import { changesFolder, createsFolder, noteOf } from "../../src/journal/place.js";
import { forgetCreates, readChange, readCreates } from "../../src/journal/sent-creates.js";

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::orders";
const subject = { baseUrl: "https://api.example.com", provider: undefined, id: "42" };
const sent = { sentAt: "2026-01-01T12:00:00.000Z", account: "account", secret: "digest" };

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pulumi-webhooks-test-"));
  folder = join(home, "webhooks");
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

const note = () => noteOf(folder, { urn: URN, organization: "acme" });
const creates = () => readCreates(folder, { stack: "dev", project: "test" });
const deliver = () => vi.advanceTimersByTime(DELIVERY_MILLISECONDS);

describe("a create", () => {
  it("is noted when it is sent, not while it waits", () => {
    const entry = new Journal(folder).create(note(), sent);
    expect(creates()).toEqual([]);
    entry.sent();
    expect(creates()).toEqual([{ ...note(), ...sent }]);
  });

  it("is noted with what its reply says, and as delivered once the engine has that", () => {
    const entry = new Journal(folder).create(note(), sent);
    entry.sent();
    entry.replied({ id: "42", createdAt: "2026-01-01T12:00:01Z" });
    entry.settle();
    expect(creates()).toMatchObject([{ reply: { id: "42", createdAt: "2026-01-01T12:00:01Z" } }]);
    expect(creates()[0]).not.toHaveProperty("isDelivered");
    deliver();
    expect(creates()).toMatchObject([{ reply: { id: "42" }, isDelivered: true }]);
  });

  it("is removed if it had no effect, and when the run ends well", () => {
    const journal = new Journal(folder);
    const [refused, created] = [journal.create(note(), sent), journal.create(note(), sent)];
    refused.sent();
    refused.withdraw();
    expect(creates()).toEqual([]);
    created.sent();
    created.settle();
    deliver();
    journal.end();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("stays if the run ends before its result is known", () => {
    const journal = new Journal(folder);
    journal.create(note(), sent).sent();
    journal.end();
    expect(creates()).toHaveLength(1);
  });

  it("stays until the next run if the engine saves the state at the end of the run only, after the provider has ended", () => {
    vi.stubEnv("PULUMI_SKIP_CHECKPOINTS", "true");
    const journal = new Journal(folder);
    const entry = journal.create(note(), sent);
    entry.sent();
    entry.settle();
    deliver();
    journal.end();
    expect(creates()[0]).not.toHaveProperty("isDelivered");
  });

  it("neither counts as delivered nor is removed once the engine is gone", () => {
    const controller = new AbortController();
    const journal = new Journal(folder, undefined, controller.signal);
    const entry = journal.create(note(), sent);
    entry.sent();
    controller.abort();
    entry.replied({ id: "42" });
    entry.settle();
    deliver();
    journal.end();
    expect(creates()).toMatchObject([{ reply: { id: "42" } }]);
    expect(creates()[0]).not.toHaveProperty("isDelivered");
  });

  it("is not removed with an older one of the same resource that another process has read", () => {
    const journal = new Journal(folder);
    journal.create(note(), sent).sent();
    const read = creates();
    journal.create(note(), { ...sent, sentAt: "2026-01-02T12:00:00.000Z" }).sent();
    forgetCreates(read);
    expect(creates()).toMatchObject([{ sentAt: "2026-01-02T12:00:00.000Z" }]);
    forgetCreates(creates());
    expect(creates()).toEqual([]);
  });

  it("of an earlier run is delivered once the engine has it, and removed when that run ends well", () => {
    new Journal(folder).create(note(), sent).sent();
    appendFileSync(note().file, '{"reply":{"id"');
    const journal = new Journal(folder);
    journal.forget(note());
    deliver();
    expect(creates()).toMatchObject([{ isDelivered: true }]);
    journal.end();
    expect(creates()).toEqual([]);
  });

  it("that an error hook repeats is noted once more", () => {
    const report = vi.fn();
    const entry = new Journal(folder, report).create(note(), sent);
    for (const id of ["42", "43"]) {
      entry.sent();
      entry.replied({ id });
      entry.settle();
    }
    deliver();
    deliver();
    expect(creates()).toMatchObject([{ reply: { id: "43" }, isDelivered: true }]);
    expect(report).not.toHaveBeenCalled();
  });

  it("of a resource that earlier versions declare is not noted", () => {
    new Journal(folder).create(undefined, sent).sent();
    expect(existsSync(folder)).toBe(false);
  });
});

describe("an update or a delete", () => {
  it("is noted until the engine has its result", () => {
    const journal = new Journal(folder);
    const entry = journal.change("update", subject);
    expect(readChange(folder, subject)).toMatchObject({ operation: "update" });
    entry.settle();
    expect(journal.hasChange(subject)).toBe(true);
    deliver();
    expect(journal.hasChange(subject)).toBe(false);
  });

  it("that had no effect leaves what an earlier run has noted", () => {
    new Journal(folder).change("delete", subject);
    const journal = new Journal(folder);
    journal.change("delete", subject).withdraw();
    expect(journal.hasChange(subject)).toBe(true);
    const other = { ...subject, id: "43" };
    journal.change("delete", other).withdraw();
    expect(journal.hasChange(other)).toBe(false);
  });

  it("that follows another one of the same webhook is not removed with that one's result", () => {
    const journal = new Journal(folder);
    journal.change("update", subject).settle();
    journal.change("update", subject);
    deliver();
    expect(journal.hasChange(subject)).toBe(true);
  });

  it("of one API or Provider is not one of the same id at another", () => {
    const journal = new Journal(folder);
    journal.change("update", subject);
    expect(journal.hasChange({ ...subject, provider: "eu" })).toBe(false);
    expect(journal.hasChange({ ...subject, baseUrl: "https://eu.example.com" })).toBe(false);
  });
});

it("keeps its folder and its files to their owner", () => {
  new Journal(folder).create(note(), sent).sent();
  expect(statSync(folder).mode & 0o077).toBe(0);
  expect(statSync(note().file).mode & 0o077).toBe(0);
});

it("says once why it cannot be written, and lets the run go on", () => {
  writeFileSync(folder, "");
  const report = vi.fn();
  const journal = new Journal(folder, report);
  journal.change("update", subject).settle();
  journal.change("delete", subject).withdraw();
  journal.create(note(), sent).sent();
  journal.end();
  expect(report.mock.calls).toEqual([[expect.stringMatching(/^E\w+: /)]]);
});

it("reads a file whose last line is torn", () => {
  const entry = new Journal(folder).create(note(), sent);
  entry.sent();
  appendFileSync(note().file, '{"reply":{"id":');
  expect(creates()).toEqual([{ ...note(), ...sent }]);
});

it("reads no file that is torn or of something else, and none without a project", () => {
  new Journal(folder).create(note(), sent).sent();
  writeFileSync(join(folder, "torn.json"), '{"urn":');
  writeFileSync(join(folder, "other.json"), "{}");
  expect(creates()).toHaveLength(1);
  expect(readCreates(folder, { stack: "dev", project: undefined })).toEqual([]);
});

describe("the folder for creates", () => {
  const place = (environment: NodeJS.ProcessEnv, project = home) =>
    createsFolder(project, { PULUMI_HOME: home, ...environment });
  const login = (current: string) =>
    writeFileSync(join(home, "credentials.json"), JSON.stringify({ current }));

  it("lies below Pulumi's home, beside the one for updates and deletes", () => {
    expect(place({})).toMatch(new RegExp(`^${home}/webhooks/[\\w-]{8}$`));
    expect(changesFolder({ PULUMI_HOME: home })).toBe(`${home}/webhooks/changes`);
    expect(changesFolder({ HOME: home })).toMatch(/\/\.pulumi\/webhooks\/changes$/);
  });

  it("differs by the backend that the environment, the project or the login selects, in this order", () => {
    login("https://api.pulumi.com");
    const loggedIn = place({});
    writeFileSync(join(home, "Pulumi.yaml"), "name: test\nruntime: nodejs\nbackend:\n  url: s3://project\n");
    const ofProject = place({});
    expect(new Set([loggedIn, ofProject, place({ PULUMI_BACKEND_URL: "s3://other" })]).size).toBe(3);
    expect(place({ PULUMI_BACKEND_URL: "s3://project" })).toBe(ofProject);
    mkdirSync(join(home, "src"));
    expect(place({}, join(home, "src"))).toBe(ofProject);
  });

  it("is the same for other spellings of a backend's URL", () => {
    writeFileSync(join(home, "Pulumi.yaml"), "name: test\n");
    const places = (...urls: string[]) => new Set(urls.map((url) => place({ PULUMI_BACKEND_URL: url })));
    expect(
      places(`file://${home}/state`, `file://${home}/state/`, "file://./state", "file://state").size,
    ).toBe(1);
    expect(places("https://api.example.com", "https://api.example.com/").size).toBe(1);
  });

  it("differs by the project's folder if the backend's URL is relative to it", () => {
    const clones = ["a", "b"].map((name) => join(home, name));
    for (const clone of clones) {
      mkdirSync(clone);
      writeFileSync(join(clone, "Pulumi.yaml"), "name: test\n");
    }
    const places = (url: string) => new Set(clones.map((clone) => place({ PULUMI_BACKEND_URL: url }, clone)));
    expect(places("file://./state").size).toBe(2);
    expect(places("file:///var/state").size).toBe(1);
    expect(places("file://~").size).toBe(1);
    expect(places("s3://state").size).toBe(1);
  });
});
