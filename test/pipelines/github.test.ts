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
  jobs[0]?.cancel();
  await ended;
  expect(jobs[0]).toMatchObject({ result: "cancelled" });
  expect(jobs[0]?.report).toContain("### pulumi up did not complete");
  expect(jobs[0]?.report).toContain("No create is in doubt.");
  const [up] = await finish(github.merge(repository));
  expect(up).toMatchObject({ result: "success" });
  expect(repository.takeCalls()).toEqual(["create Orders", "create Refunds"]);
});
