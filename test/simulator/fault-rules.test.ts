import { describe, expect, it } from "vitest";
import type { Simulator } from "../../src/simulator/index.js";
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

  it("applies once by default, after the requests to skip", async () => {
    const simulator = await start();
    simulator.inject({ skip: 1, fault: teapot });
    expect(await statuses(simulator, 4)).toEqual([201, 418, 201, 201]);
    simulator.inject("create: status 418, after 1");
    expect(await statuses(simulator, 4)).toEqual([201, 418, 201, 201]);
  });

  it("applies as often as it says, until the rules are cleared", async () => {
    const simulator = await start();
    simulator.inject({ times: 2, fault: teapot });
    expect(await statuses(simulator, 3)).toEqual([418, 418, 201]);
    simulator.inject({ times: Infinity, fault: teapot });
    expect(await statuses(simulator, 3)).toEqual([418, 418, 418]);
    simulator.clearFaults();
    expect(await statuses(simulator, 1)).toEqual([201]);
  });

  it.each<[object | undefined, string, object?]>([
    [{ kind: "hangs" }, "rule.fault.kind: expected status | reset | hang"],
    [{ kind: "reset", when: "after the commit" }, "rule.fault.when: expected before reading | before commit"],
    [{ kind: "reset" }, "rule.fault.when: expected before reading | before commit"],
    [{ kind: "reply", body: "htm" }, "rule.fault.body: expected malformed | html"],
    [{ kind: "reply" }, "rule.fault: expected body or raw, and not both"],
    [{ kind: "status", status: 99 }, "rule.fault.status: expected 200 to 599"],
    [{ kind: "latency", milliseconds: 2 ** 31 }, "rule.fault.milliseconds: expected N ms"],
    [{ kind: "redirect", to: "a\nb" }, "rule.fault.to: expected TEXT"],
    [{ ...teapot, headers: { "a b": "c" } }, 'rule.fault.headers: expected {"NAME":"TEXT"}'],
    [teapot, "rule.operation: expected create | update | delete", { operation: "craete" }],
    [teapot, "rule.probability: expected a number from 0 to 1", { probability: 2 }],
    [teapot, "unknown option rule.probabilty; the options are operation, times", { probabilty: 0.5 }],
    [undefined, "rule.fault.kind: expected status"],
  ])(
    "is refused at once if JavaScript gives it a wrong word or number: %j, %s",
    async (fault, message, more) => {
      const { inject } = await start();
      expect(() => inject({ fault, ...more } as never)).toThrow(message);
    },
  );

  it("applies only to its operation and the requests that match", async () => {
    const simulator = await start();
    simulator.inject({ operation: "delete", fault: teapot });
    simulator.inject({
      match: ({ body }) => JSON.stringify(body).includes("Webhook 1"),
      fault: { kind: "status", status: 409 },
    });
    expect(await statuses(simulator, 3)).toEqual([201, 409, 201]);
    expect((await send(simulator, "delete", { webhook_id: "1" })).status).toBe(418);
  });

  it("applies in the order of injection", async () => {
    const simulator = await start();
    simulator.inject({ fault: teapot });
    simulator.inject({ fault: { kind: "status", status: 409 } });
    expect(await statuses(simulator, 3)).toEqual([418, 409, 201]);
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
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.5);
  });
});
