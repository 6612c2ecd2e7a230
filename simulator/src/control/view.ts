import { behaviorTexts } from "../behavior.js";
import { printRule } from "../fault-notation.js";
import type { ActiveRule } from "../fault-rules.js";
import type { Simulation } from "../simulation.js";
import type { StoredWebhook } from "../webhook-store.js";

/** The control API is below this path. No path of the API starts like this: its prefix cannot contain an @. */
export const CONTROL_PATH = "/@simulator";

/** Everything that the control API and the page show. */
export type View = ReturnType<typeof viewSimulation>;

/** How many requests the page shows. A test may have sent thousands. */
export const MAX_REQUESTS = 100;

/** Returns everything, with the last requests; lists are oldest first. It contains neither the key nor a webhook's secret. */
export function viewSimulation(simulation: Simulation, maxRequests = Infinity) {
  const { behavior, calls, faults, webhooks } = simulation;
  return {
    webhooks: webhooks.map(viewWebhook),
    requests: calls.slice(-maxRequests),
    faults: faults.list().map(viewFault),
    behavior: Object.fromEntries(behaviorTexts(behavior).map(({ key, value }) => [key, value])),
  };
}

/** Shows a webhook without its secret. */
export function viewWebhook({ secret, ...webhook }: StoredWebhook) {
  return { ...webhook, hasSecret: secret !== undefined };
}

/** Shows what is left of a rule, as it can be added again. */
function viewFault({ number, used, matched, rule }: ActiveRule) {
  const { times = 1, skip = 0 } = rule;
  return { number, fault: printRule({ ...rule, times: times - used, skip: Math.max(0, skip - matched) }) };
}
