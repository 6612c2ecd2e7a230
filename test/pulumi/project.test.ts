import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import {
  backupsFolder,
  findProjectFolder,
  notesFolder,
  projectName,
  serveProject,
} from "../../src/pulumi/project.js";
import { stackOption } from "../../src/wording/command.js";
import { makeFolder } from "../temporary-folder.js";

let home: string;
beforeEach(() => {
  home = makeFolder();
});

const place = (environment: NodeJS.ProcessEnv, project = home) =>
  notesFolder(project, { PULUMI_HOME: home, ...environment });
const writeProject = (text = "", folder = home) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "Pulumi.yaml"), `name: test\nruntime: nodejs\n${text}`);
};

it("lies below Pulumi's home", () => {
  expect(place({})).toMatch(new RegExp(`^${home}/webhooks/[\\w-]{8}$`));
  expect(notesFolder(home, {})).toContain("/.pulumi/webhooks/");
});

it("is named in commands if the shell is above it, and in no project", () => {
  const folder = join(home, "ops/infra");
  writeProject("", folder);
  const optionsFrom = (shell: string | undefined) => {
    serveProject(folder, shell);
    return stackOption("dev");
  };
  expect(optionsFrom(home)).toBe(" --stack dev --cwd ops/infra");
  for (const shell of [folder, join(folder, "src"), join(home, "other"), undefined])
    expect(optionsFrom(shell)).toBe(" --stack dev");
});

it("is the same for the project's folder and that of its program, also if Pulumi's home is relative", () => {
  writeProject("main: src/\n");
  const program = join(home, "src");
  mkdirSync(program);
  const environment = { PULUMI_HOME: "./home" };
  expect(notesFolder(program, environment)).toEqual(notesFolder(home, environment));
  expect(notesFolder(home, environment)).toContain(join(home, "home/webhooks"));
  expect(backupsFolder(program, environment)).toBe(join(home, "home/webhooks/backups"));
});

it("is that of Pulumi Cloud, or of another service, before the first command with an access token has logged in", () => {
  const PULUMI_ACCESS_TOKEN = "token";
  const login = (current: string) =>
    writeFileSync(join(home, "credentials.json"), JSON.stringify({ current }));
  const before = place({ PULUMI_ACCESS_TOKEN });
  const beforeService = place({ PULUMI_ACCESS_TOKEN, PULUMI_API: "https://pulumi.example.com" });
  login("https://api.pulumi.com");
  expect(before).toBe(place({ PULUMI_ACCESS_TOKEN, PULUMI_API: "https://pulumi.example.com" }));
  login("https://pulumi.example.com");
  expect(beforeService).toBe(place({ PULUMI_ACCESS_TOKEN }));
});

it("differs by the backend that the environment, the project or the login selects, in this order", () => {
  writeFileSync(join(home, "credentials.json"), JSON.stringify({ current: "https://api.pulumi.com" }));
  const loggedIn = place({});
  expect(place({ PULUMI_CREDENTIALS_PATH: "" })).toBe(loggedIn);
  writeProject("backend:\n  url: s3://project\n");
  const ofProject = place({});
  expect(new Set([loggedIn, ofProject, place({ PULUMI_BACKEND_URL: "s3://other" })]).size).toBe(3);
  expect(place({ PULUMI_BACKEND_URL: "s3://project" })).toBe(ofProject);
});

it("finds the project from a folder below it", () => {
  writeProject("backend:\n  url: s3://project\n");
  mkdirSync(join(home, "src"));
  expect(place({}, join(home, "src"))).toBe(place({}));
  expect(findProjectFolder(join(home, "src"))).toBe(home);
  expect(projectName(join(home, "src"))).toBe("test");
  expect(projectName("/")).toBeUndefined();
  expect(findProjectFolder("/")).toBe("/");
});

it("is the same for other spellings of a backend's URL", () => {
  writeProject();
  const places = (...urls: string[]) => new Set(urls.map((url) => place({ PULUMI_BACKEND_URL: url }))).size;
  expect(places(`file://${home}/state`, `file://${home}/state/`, "file://./state", "file://state")).toBe(1);
  expect(places("https://api.example.com", "https://api.example.com/")).toBe(1);
});

it("differs by the project's folder if the backend's URL is relative to it", () => {
  const clones = ["a", "b"].map((name) => join(home, name));
  for (const clone of clones) writeProject("", clone);
  const places = (url: string) =>
    new Set(clones.map((clone) => place({ PULUMI_BACKEND_URL: url }, clone))).size;
  expect(["file://./state", "file:///var/state", "file://~", "s3://state"].map(places)).toEqual([2, 1, 1, 1]);
});
