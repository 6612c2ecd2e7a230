import { expect, it } from "vitest";
import { create, SimulatedApi } from "./simulated-api.js";

it.concurrent.each([409, 423] as const)(
  "twelve creates succeed at an API that accepts one change at a time, and answers %d meanwhile",
  async (simultaneousChanges) => {
    await using api = await SimulatedApi.start();
    api.simulator.behavior.simultaneousChanges = simultaneousChanges;
    const client = api.clientWith();
    await Promise.all(Array.from({ length: 12 }, (_, n) => create(client, `W${n}`)));
    expect(api.simulator.webhooks).toHaveLength(12);
  },
);
