import { expect, it } from "vitest";
import { explain } from "../../src/client/network-fault.js";
import { Transport } from "../../src/client/transport.js";
import { SETTINGS } from "./samples.js";
import { SimulatedApi } from "./simulated-api.js";

it("names no code of an error that has none", () => {
  const error = Object.assign(new Error("Invalid header"), { code: undefined });
  expect(explain(error, "api.example.com").reason).toBe("Invalid header");
});

it("sends nothing after the time until which it may send, even if a connection is ready", async () => {
  await using api = await SimulatedApi.start();
  const transport = new Transport({ ...SETTINGS, baseUrl: api.simulator.url }, false);
  const request = { operation: "delete", body: { webhook_id: "1" } } as const;
  const post = (lastSend: number) =>
    transport.send(request, { lastSend, deadline: performance.now() + 30_000 });
  expect(await post(performance.now() + 30_000)).toMatchObject({ kind: "response", status: 404 });
  expect(await post(performance.now() - 1)).toMatchObject({ kind: "not-sent", isLate: true });
  await transport.close();
  expect(api.simulator.calls).toHaveLength(1);
});
