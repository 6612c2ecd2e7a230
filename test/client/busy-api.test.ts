import { expect, it } from "vitest";
import { create, SimulatedApi } from "./simulated-api.js";

it.each([409, 423] as const)(
  "twelve creates succeed if the API answers %d during each",
  async (simultaneousChanges) => {
    await using api = await SimulatedApi.start();
    api.simulator.behavior.simultaneousChanges = simultaneousChanges;
    const client = api.clientWith();
    await Promise.all(Array.from({ length: 12 }, (_, n) => create(client, `W${n}`)));
    expect(api.simulator.webhooks).toHaveLength(12);
  },
);
