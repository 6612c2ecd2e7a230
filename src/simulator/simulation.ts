import type { Behavior } from "./behavior.js";
import type { FaultRules } from "./fault-rules.js";
import type { RequestLog } from "./request-log.js";
import type { State } from "./state.js";

/** What a program or a person may change while the simulator runs. */
export interface Settings {
  apiKey: string;
  behavior: Behavior;
}

/** A running simulator without its server: what requests to the API and the UI read and change. */
export interface Simulation {
  readonly state: State;
  readonly log: RequestLog;
  readonly faults: FaultRules;
  readonly settings: Settings;
  /** The prefix of the API's paths: empty, or with a leading and without a trailing slash. */
  readonly path: string;
  readonly dataFile: string | undefined;
}
