import { expect, it } from "vitest";
import { startPulumi } from "../../src/pulumi/cli.js";
import { FakePulumi } from "../commands/fake-pulumi.js";

it("passes no flags of the environment, of which one shows secrets and one selects another folder", async () => {
  using cli = new FakePulumi(`#!${process.execPath}\nconsole.log(JSON.stringify(process.env))`);
  const { text } = startPulumi(["stack", "export"], {
    environment: {
      ...cli.environment,
      PULUMI_STACK: "dev",
      PULUMI_OPTION_SHOW_SECRETS: "true",
      Pulumi_Option_Cwd: "/",
    },
  });
  const passed = JSON.parse(await text);
  expect(passed).toMatchObject({ ...cli.environment, PULUMI_STACK: "dev", PULUMI_SKIP_UPDATE_CHECK: "true" });
  expect(Object.keys(passed).filter((name) => /option/i.test(name))).toEqual([]);
});
