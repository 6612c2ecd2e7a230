import { describe, expect, it } from "vitest";
import type { Call, Simulator } from "../src/index.js";
import { ORDERS, send } from "./send.js";
import { start } from "./start.js";

describe("a fault rule", () => {
  const teapot = { kind: "status", status: 418 } as const;

  async function statuses(simulator: Simulator, count: number): Promise<number[]> {
    const all: number[] = [];
    for (let index = 0; index < count; index += 1) {
      all.push((await send(simulator, "create", { ...ORDERS, name: `Webhook ${index}` })).status);
    }
    return all;
  }

  it("applies once by default, after the requests to skip, or as often as it says", async () => {
    const simulator = await start();
    simulator.inject({ skip: 1, fault: teapot });
    expect(await statuses(simulator, 4)).toEqual([201, 418, 201, 201]);
    simulator.inject("create: status 418, 2 times");
    expect(await statuses(simulator, 3)).toEqual([418, 418, 201]);
    simulator.inject({ times: Infinity, fault: teapot });
    expect(await statuses(simulator, 3)).toEqual([418, 418, 418]);
    simulator.clearFaults();
    expect(await statuses(simulator, 1)).toEqual([201]);
  });

  it.each<[object | undefined, string, object?]>([
    [{ kind: "status", status: "418" }, "rule.fault.status: expected 200 to 599"],
    [{ kind: "latency", milliseconds: 2 ** 31 }, "rule.fault.milliseconds: expected N ms"],
    [{ ...teapot, retryAfter: "a\nb" }, "rule.fault.retryAfter: expected TEXT"],
    [{ ...teapot, headers: { "a b": "c" } }, 'rule.fault.headers: expected {"NAME":"TEXT"}'],
    [teapot, "rule.operation: expected create | update | delete", { operation: "craete" }],
    [teapot, "rule.match: expected a function", { match: true }],
    [teapot, "unknown option rule.probabilty; the options are operation, times", { probabilty: 0.5 }],
    [undefined, "rule.fault.kind: expected status"],
  ])("is refused at once if JavaScript gives it a wrong value: %j, %s", async (fault, message, more) => {
    const { inject } = await start();
    expect(() => inject({ fault, ...more } as never)).toThrow(message);
  });

  it("applies only to its operation and the requests that match, in the order of injection", async () => {
    const simulator = await start();
    simulator.inject("delete: status 418");
    const match = ({ body }: Call) => JSON.stringify(body).includes("Webhook 1");
    simulator.inject({ match, times: 2, fault: { kind: "status", status: 409 } });
    simulator.inject({ match, times: 2, fault: teapot });
    expect(await statuses(simulator, 3)).toEqual([201, 409, 201]);
    expect(await statuses(simulator, 2)).toEqual([201, 409]);
    expect(await statuses(simulator, 2)).toEqual([201, 418]);
    expect((await send(simulator, "delete", { webhook_id: "1" })).status).toBe(418);
  });

  it("repeats its faults with the same seed", async () => {
    const draw = async (seed: number) => {
      const simulator = await start();
      simulator.inject({ times: Infinity, probability: 0.3, seed, fault: teapot });
      return statuses(simulator, 60);
    };
    const [first, again, other] = [await draw(7), await draw(7), await draw(8)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    const share = first.filter((status) => status === 418).length / first.length;
    expect(Math.abs(share - 0.3)).toBeLessThan(0.2);
  });
});
