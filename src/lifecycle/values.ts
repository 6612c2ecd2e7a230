/** Inputs and outputs in plain text: parsed before anything is done with them. */
export type Properties = Record<string, unknown>;

/** Properties as a face passes them: their values in plain text, and the names of those that are secrets. */
export interface Received {
  values: Properties;
  secrets: ReadonlySet<string>;
}

export interface Result {
  id: string;
  outputs: Properties;
}

/** Whether the engine must change a webhook, and the names of what replaces it. An update that only records is a change, too. */
export interface Changes {
  changes: boolean;
  replaces?: string[];
}

/** What is recorded of a webhook after a read. */
export interface ReadResult {
  outputs: Properties;
  /** Inputs to record, which differ from what the program declares. Undefined if the recorded ones stay. */
  inputs?: Properties;
  /** The names of what is a secret among them. Default: those that were before. */
  secrets?: ReadonlySet<string>;
}

/** An operation that may send requests. */
export interface Action {
  /** What is done: `Deleting webhook 42 (orders)`. */
  action: string;
  /** The time limit that the program sets for it, in seconds. Default: that of the settings. */
  deadlineSeconds?: number | undefined;
}

export type Timed = Pick<Action, "deadlineSeconds">;
