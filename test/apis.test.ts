import { expect, it } from "vitest";
import { parseBehaviorTexts } from "../simulator/src/run-simulator.js";
import { UNSUPPORTED } from "./e2e/habits.js";
import { declare, messageOf, startRun } from "./lifecycle/runs.js";
import { api, useSimulator } from "./lifecycle/simulator.js";
import { orders, PASTS } from "./lifecycle/webhooks.js";

useSimulator();

it.each(Object.entries(UNSUPPORTED))(
  "the message says what docs/apis.md does not support: %s",
  async (habit, [failing, text, created = failing === "update" ? 1 : 0]) => {
    Object.assign(api.behavior, parseBehaviorTexts([habit]));
    const creating = declare(startRun()).declareNew(orders);
    if (failing === "create") expect(await messageOf(creating)).toMatch(text);
    else {
      const { id, outputs } = await creating;
      const webhook = declare(startRun(), { past: { ...PASTS.known, id } });
      expect(await messageOf(webhook.update(id, outputs, { ...orders, name: "Refunds" }))).toMatch(text);
    }
    expect(api.webhooks).toHaveLength(created);
  },
);
