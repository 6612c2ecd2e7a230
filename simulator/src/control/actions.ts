import { withTexts } from "../behavior.js";
import { HttpError } from "../http-error.js";
import { CREATE_REQUEST, FAULT_REQUEST, KEY_REQUEST, parseRequest } from "../request-schemas.js";
import type { Simulation } from "../simulation.js";
import { viewSimulation, viewWebhook } from "./view.js";

interface Action {
  readonly simulation: Simulation;
  /** Below that of the control API. */
  readonly path: string;
  /** Of a form or of a JSON object. */
  readonly fields: { readonly [name: string]: string };
}

/**
 * Does what a POST requests. Returns what the reply shows. Unknown fields are refused: a test with a misspelled one would
 * pass for the wrong reason.
 * @throws HttpError for an unknown path or number, and RangeError for a wrong value.
 */
export function act({ simulation, path, fields }: Action): object {
  const { dashboard, faults } = simulation;
  const [, id = ""] = /\/(\d+)/.exec(path) ?? [];
  const action = path.replace(/\/\d+(?=\/|$)/, "/*");
  switch (action) {
    case "webhooks": {
      const { secret, ...given } = parseRequest(CREATE_REQUEST.strict(), fields);
      // The page sends an empty one.
      return viewWebhook(dashboard.create({ ...given, secret: secret || undefined }));
    }
    case "webhooks/*":
      return viewWebhook(dashboard.edit(id, parseRequest(CREATE_REQUEST.partial().strict(), fields)));
    case "webhooks/*/delete":
      dashboard.delete(id);
      return {};
    case "requests/clear":
      simulation.clearCalls();
      return {};
    case "faults": {
      const number = faults.inject(parseRequest(FAULT_REQUEST, fields).fault);
      return viewSimulation(simulation).faults.find((fault) => fault.number === number) ?? {};
    }
    case "faults/*/remove":
      if (!faults.remove(Number(id))) throw new HttpError(404, "Fault not found.");
      return {};
    case "faults/clear":
      simulation.clearFaults();
      return {};
    case "behavior":
      simulation.behavior = withTexts(simulation.behavior, fields);
      return viewSimulation(simulation).behavior;
    case "key":
      simulation.setKey(parseRequest(KEY_REQUEST, fields).apiKey);
      return {};
    case "reset":
      simulation.reset();
      return {};
    default:
      throw new HttpError(404, "There is no such path.");
  }
}
