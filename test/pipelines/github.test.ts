import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { github } from "./github-actions.js";
import { Repository } from "./repository.js";
import { createInFlight, describeScenarios, finish } from "./scenarios.js";

describeScenarios("github", github);

it("a cancelled deployment saves the create in flight, and leaves no lock", async () => {
  await using repository = await Repository.create("github");
  const { jobs, ended } = await createInFlight(repository, { kind: "latency", milliseconds: 3000 }, () =>
    github.merge(repository),
  );
  await jobs[0]?.cancel();
  await ended;
  expect(jobs[0]).toMatchObject({ result: "cancelled" });
  expect(jobs[0]?.report).toContain("### pulumi up did not complete");
  expect(jobs[0]?.report).toContain("No create is in doubt.");
  const [up] = await finish(github.merge(repository));
  expect(up).toMatchObject({ result: "success" });
  expect(repository.takeCalls()).toEqual(["create Orders", "create Refunds"]);
});

it("a deployment whose provider was killed is not safe to repeat if its machine could note nothing, and says so", async () => {
  await using repository = await Repository.create("github");
  const { jobs, ended } = await createInFlight(repository, { kind: "hang", commit: true }, async () => {
    const pipeline = await github.merge(repository);
    const { pulumiHome = "" } = pipeline.jobs[0] ?? {};
    await mkdir(pulumiHome);
    await writeFile(join(pulumiHome, "webhooks"), "");
    return pipeline;
  });
  await jobs[0]?.killProvider();
  await ended;
  expect(jobs[0]?.report).toContain("### pulumi up did not complete, and webhooks may be unknown");
  expect(jobs[0]?.report).not.toContain("No create is in doubt");
});

it("the preview is one comment, updated by every push, that no other comment is lost to", async () => {
  await using repository = await Repository.create("github");
  const { all } = repository.comments;
  const copy = { author: "a-person", body: "<!-- preview of production -->\nLooks good to me." };
  const other = { author: "github-actions[bot]", body: "The bundle grew by 2 kB." };
  all.push(copy, other);
  const [, , comment] = await finish(github.pullRequest(repository));
  expect(comment).toMatchObject({
    name: "comment",
    result: "success",
    log: expect.not.stringContaining("orders"),
  });
  expect(all).toEqual([copy, other, expect.objectContaining({ author: "github-actions[bot]" })]);
  expect(all[2]?.body).toMatch(/^### Preview of production at [0-9a-f]{7}: success$/m);
  expect(all[2]?.body).toContain("https://shop.example.com/hooks/orders");
  expect(all[2]?.body).toContain("+ 3 to create");
  expect(all[2]?.body).toContain("(https://github.example.com/example/shop-webhooks/actions/runs/4321)");

  await repository.edit("index.ts", (text) => text.replace('"Orders"', '"Orders ` ~~~~ $(id) {{ x }} é"'));
  await repository.commit("Name the orders badly");
  await finish(github.pullRequest(repository));
  expect(all).toHaveLength(3);
  expect(all[2]?.body).toContain("Orders ` ~~~~ $(id) {{ x }} é");

  await repository.edit("index.ts", (text) => `${text}\nthrow new Error("a mistake");\n`);
  await repository.commit("Make a mistake");
  const [, preview, again] = await finish(github.pullRequest(repository));
  expect(preview).toMatchObject({ result: "failure" });
  expect(again).toMatchObject({ result: "success" });
  expect(all).toHaveLength(3);
  expect(all[2]?.body).toMatch(/^### Preview of production at [0-9a-f]{7}: failure$/m);
  expect(all[2]?.body).toContain("a mistake");
});

it("a preview that is too long for a comment is cut there, and whole in the summary", async () => {
  await using repository = await Repository.create("github");
  await repository.edit(
    "index.ts",
    (text) => `${text}\nconsole.log("long ".repeat(20_000));\nconsole.log("the end");\n`,
  );
  await repository.commit("Print much");
  const [, preview, comment] = await finish(github.pullRequest(repository));
  expect(preview?.report).toContain("the end");
  expect(comment).toMatchObject({ result: "success" });
  const [{ body } = { body: "" }] = repository.comments.all;
  expect(body.length).toBeGreaterThan(60_000);
  expect(body.length).toBeLessThan(65_536);
  expect(body).toMatch(/\n~~~~\nThe whole preview is in \[the summary\]/);
});

it("a pull request of Dependabot gets no passphrase, not even after a person pushed to its branch", async () => {
  await using repository = await Repository.create("github");
  const jobs = await finish(github.pullRequest(repository, { author: "dependabot[bot]" }));
  expect(jobs.map(({ name, result }) => [name, result])).toEqual([
    ["check", "success"],
    ["preview", "skipped"],
    ["comment", "skipped"],
  ]);
  expect(repository.comments.all).toEqual([]);
});
