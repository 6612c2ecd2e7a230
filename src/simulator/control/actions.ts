import type { z } from "zod";
import { withTexts } from "../behavior-options.js";
import { CREATE_REQUEST, describeProblems } from "../request-schemas.js";
import type { Simulation } from "../simulation.js";
import { ControlError } from "./guard.js";
import { viewSimulation, viewWebhook } from "./view.js";

interface Action {
  readonly simulation: Simulation;
  /** Below that of the control API. */
  readonly path: string;
  /** Of a form or of a JSON object. */
  readonly fields: URLSearchParams;
}

/**
 * Does what a POST requests. Returns what the reply shows.
 * @throws ControlError for an unknown path or number, and RangeError for a wrong value.
 */
export function act({ simulation, path, fields }: Action): object {
  const { state, api, settings, faults, log, initialBehavior } = simulation;
  const [, id = ""] = /\/(\d+)/.exec(path) ?? [];
  switch (path.replace(/\/\d+(?=\/|$)/, "/*")) {
    case "webhooks": {
      const { secret, ...given } = parse(CREATE_REQUEST, fields);
      // The page sends an empty one.
      const webhook = state.create({ ...given, secret: secret || undefined }, settings.behavior);
      return viewWebhook(webhook, settings.apiKey);
    }
    case "webhooks/*": {
      const webhook = state.edit(id, parse(CREATE_REQUEST.partial(), fields), settings.behavior);
      return viewWebhook(webhook ?? notFound(), settings.apiKey);
    }
    case "webhooks/*/delete":
      return state.delete(id) ? {} : notFound();
    case "requests/clear":
      log.clear();
      return {};
    case "faults": {
      allow(["fault"], fields);
      // The page has a list for each part of the notation.
      const number = faults.inject(fields.getAll("fault").join(" "));
      return viewSimulation(simulation).faults.find((fault) => fault.number === number) ?? {};
    }
    case "faults/*/remove":
      return faults.remove(Number(id)) ? {} : notFound("Fault");
    case "faults/clear":
      faults.clear();
      return {};
    case "behavior":
      settings.behavior = withTexts(settings.behavior, Object.fromEntries(fields));
      return viewSimulation(simulation).behavior;
    // Tests can share a simulator.
    case "reset":
      for (const part of [state, api]) part.reset();
      for (const list of [log, faults]) list.clear();
      settings.behavior = structuredClone(initialBehavior);
      return {};
    default:
      throw new ControlError(404, "There is no such path.");
  }
}

function parse<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, fields: URLSearchParams) {
  allow(Object.keys(schema.shape), fields);
  const result = schema.safeParse(Object.fromEntries(fields));
  if (!result.success) throw new RangeError(describeProblems(result.error).message);
  return result.data;
}

/** Refuses other fields: a test with a misspelled one would pass for the wrong reason. */
function allow(names: readonly string[], fields: URLSearchParams): void {
  const unknown = [...fields.keys()].filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new RangeError(`Unknown field ${unknown.join(", ")}. The fields are ${names.join(", ")}.`);
}

/** The same message as the API's. */
function notFound(what = "Webhook"): never {
  throw new ControlError(404, `${what} not found.`);
}
