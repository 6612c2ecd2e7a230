import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { receive } from "../calls.js";
import { findProviderProcess } from "../engine/kill.js";
import { Cluster, HOOK_SECRET, SECRETS } from "./cluster.js";
import { readDriftCheck, readManifests, readStack } from "./kubernetes-manifests.js";
import type { Validate } from "./kubernetes-schema.js";
import { createValidate } from "./kubernetes-schema.js";

let validate: Validate;
beforeAll(async () => {
  validate = await createValidate();
});

it.each(["stack.yaml", "drift.yaml"])("an API server accepts every field of %s", async (file) => {
  for (const manifest of await readManifests(file)) expect(validate(manifest), manifest.kind).toEqual([]);
});

it.each([
  ["stack.yaml", "terminationGracePeriodSeconds"],
  ["stack.yaml", "useLocalStackOnly"],
  ["stack.yaml", "secret"],
  ["stack.yaml", "annotations"],
  ["stack.yaml", "limits"],
  ["drift.yaml", "onExitCodes"],
  ["drift.yaml", "secretKeyRef"],
  ["drift.yaml", "runAsUser"],
])("a misspelled field in %s is found: %s", async (file, field) => {
  const [manifest] = await readManifests(file);
  const misspelled = JSON.parse(JSON.stringify(manifest).replace(`"${field}":`, `"${field}x":`));
  expect(validate(misspelled).join("\n")).toContain(`{"additionalProperty":"${field}x"}`);
});

it("the Stack and the drift check use the same program, state and image, and each secret by reference", async () => {
  const { projectRepo, branch, stack, backend, image, gitToken, envRefs } = await readStack();
  const check = await readDriftCheck();
  const secret = (key: string) => ({ secret: key });
  expect(gitToken).toEqual(secret("GIT_TOKEN"));
  expect(envRefs).toEqual({
    PULUMI_CONFIG_PASSPHRASE: secret("PULUMI_CONFIG_PASSPHRASE"),
    WEBHOOKS_API_KEY: secret("WEBHOOKS_API_KEY"),
    NPM_CONFIG_IGNORE_SCRIPTS: { value: "true" },
    PULUMI_HOME: { value: "/pulumi-home" },
    PULUMI_RUN_PROGRAM: { value: "true" },
  });
  expect(check.env).toEqual({
    REPOSITORY: { value: projectRepo },
    STACK: { value: stack },
    PULUMI_BACKEND_URL: { value: backend },
    GIT_TOKEN: secret("GIT_TOKEN"),
    PULUMI_CONFIG_PASSPHRASE: secret("PULUMI_CONFIG_PASSPHRASE"),
    WEBHOOKS_API_KEY: secret("WEBHOOKS_API_KEY"),
  });
  expect(check.args.join()).toContain(` --branch ${branch} `);
  expect(check.image).toBe(image);
});

it("the update creates the webhooks, and the drift check ends with the exit code of what it finds", async () => {
  await using cluster = await Cluster.create();
  const update = await cluster.update();
  expect(update).toMatchObject({ code: 0 });
  expect(cluster.api.webhooks.map(({ name }) => name).toSorted()).toEqual(["Orders", "refunds"]);
  const state = await cluster.person("pulumi stack export");

  const same = await cluster.checkDrift();
  expect(same.output).toContain("No drift: 2 webhooks of stack production compared.");
  expect(same.code).toBe(0);

  const [webhook] = cluster.api.webhooks;
  cluster.api.dashboard.edit(webhook?.id ?? "", { name: "Do not touch" });
  const changed = await cluster.checkDrift();
  expect(changed.output).toContain('→ "Do not touch"');
  expect(changed.code).toBe(7);

  await cluster.configure({ "webhooks:drift": "off" });
  await cluster.commit();
  const off = await cluster.checkDrift();
  expect(off.output).toContain("No webhook of stack production was compared");
  expect(off.code).toBe(3);

  await cluster.configure({ "webhooks:drift": "probe" });
  await cluster.commit();
  await cluster.api.close();
  const down = await cluster.checkDrift();
  expect(down.output).toContain("The comparison of stack production failed.");
  expect(down.code).toBe(1);

  const { failingCodes } = await readDriftCheck();
  expect(failingCodes).toEqual(expect.arrayContaining([changed.code, off.code, down.code]));
  expect(failingCodes).not.toContain(same.code);
  for (const text of [update.output, state, same.output, changed.output, off.output, down.output]) {
    for (const secret of [...Object.values(SECRETS), HOOK_SECRET]) expect(text).not.toContain(secret);
  }
});

it("neither the update nor the drift check runs an install script, which would see the secrets", async () => {
  await using cluster = await Cluster.create();
  const script = join(cluster.folder, "install-script-ran");
  await cluster.person(`npm pkg set scripts.postinstall='touch ${script}'`);
  await cluster.commit();
  expect(await cluster.update()).toMatchObject({ code: 0 });
  expect(await cluster.checkDrift()).toMatchObject({ code: 0 });
  expect(existsSync(script)).toBe(false);
  await cluster.person("npm ci");
  expect(existsSync(script)).toBe(true);
});

it("updates that the operator repeats send nothing for a create in doubt, until a person resolves it", async () => {
  await using cluster = await Cluster.create();
  const match = ({ body }: { body: unknown }) => Object(body).name === "Orders";
  cluster.api.inject({ operation: "create", match, fault: { kind: "reset", when: "after commit" } });
  const creates = () => cluster.api.calls.filter((call) => call.operation === "create" && match(call)).length;

  for (const attempt of [1, 2, 3]) {
    const { code, output } = await cluster.update();
    expect(output, `attempt ${attempt}`).toContain("a webhook named Orders, created at about 20");
    expect(code).not.toBe(0);
  }
  expect(creates()).toBe(1);

  const { id } = cluster.api.webhooks.find(({ name }) => name === "Orders") ?? {};
  const { stack } = await readStack();
  await cluster.person(`npx pulumi-webhooks resolve --stack ${stack} --found orders=${id}`);
  expect(await cluster.update()).toMatchObject({ code: 0 });
  expect(creates()).toBe(1);
  expect(cluster.api.webhooks).toHaveLength(2);
});

it("an update in a new pod sends no create again if the provider was killed during the last one", async () => {
  await using cluster = await Cluster.create();
  const killed = receive(cluster.api, { fault: { kind: "hang", commit: true } }).then(async () => {
    process.kill(await findProviderProcess({ child: process }), "SIGKILL");
  });
  const first = await cluster.update();
  await killed;
  expect(first.output).toContain("error reading from server: EOF");
  const { output, code } = await cluster.update();
  expect(output).toContain("It is unknown whether the API created this webhook");
  expect(code).not.toBe(0);
  const created = cluster.api.webhooks.map(({ name }) => name);
  expect(created).toEqual([...new Set(created)]);
});

it("the drift check clones with the token, and a repository that refuses it is no result of the check", async () => {
  const received: (string | undefined)[] = [];
  await using git = createServer(({ headers }, response) => {
    received.push(headers.authorization);
    response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
  }).listen(0, "127.0.0.1");
  await once(git, "listening");
  // A TCP server's address is an object.
  const { port } = git.address() as AddressInfo;
  await using cluster = await Cluster.create();

  const { code, output } = await cluster.checkDrift(`http://127.0.0.1:${port}/your-org/webhooks`);
  expect(received).toContain(`Basic ${Buffer.from(`git:${SECRETS.GIT_TOKEN}`).toString("base64")}`);
  expect(output).not.toContain(SECRETS.GIT_TOKEN);
  expect(code).toBe(128);
  expect((await readDriftCheck()).failingCodes).not.toContain(code);
});
