import type { Api, Settings } from "./api.js";
import type { Behavior } from "./behavior.js";
import type { FaultRules } from "./fault-rules.js";
import type { RequestLog } from "./request-log.js";
import type { State } from "./state.js";

/** A running simulator without its server: what requests to the API, the control API and the page read and change. */
export interface Simulation {
  readonly api: Api;
  readonly state: State;
  readonly log: RequestLog;
  readonly faults: FaultRules;
  readonly settings: Settings;
  /** The behavior at the start, for a reset. */
  readonly initialBehavior: Behavior;
  /** The prefix of the API's paths: empty, or with a leading and without a trailing slash. */
  readonly path: string;
  readonly dataFile: string | undefined;
}
