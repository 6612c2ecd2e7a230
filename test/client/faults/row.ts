import type { Fault } from "../../../simulator/src/index.js";
import type { Wire } from "./wires.ts";

export type Operation = "create" | "update" | "delete";

/** What must follow, in the words of the table. */
export interface Outcome {
  /** Whether there is a second attempt. */
  again: boolean;
  /** The requests that the API receives. "several" means two or more: the jitter decides how many fit into the deadline. */
  requests: number | "several";
  /** What the client knows at the end. */
  ends: "success" | "no effect" | "gone" | "unresolved" | "unclear";
  atApi: "no webhook" | "one webhook" | "two webhooks" | "as before" | "as declared";
  state:
    | "nothing"
    | "the webhook"
    | "the webhook, sent again"
    | "unresolved"
    | "as before"
    | "as before, sent again"
    | "as declared"
    | "as declared, sent again";
  /** A part of the message. */
  says?: string;
  /** The recorded id, if it is not the simulator's own. */
  id?: string;
}

/** What must follow a fault of the first request only, and one of all requests. */
export interface Course {
  once?: Outcome;
  forGood?: Outcome;
}

/** A fault, and what must follow for each operation. */
export interface Row {
  fault: string;
  /** When it happens, if that makes a difference. */
  moment?: "before the commit" | "after the commit" | undefined;
  cause: Cause;
  /** What the record says beside its fields. */
  recorded?: "created seconds ago" | "seen by another key";
  /** Each attempt takes until its time-out. */
  hangs?: boolean;
  /** The client gives up before the deadline, even if the fault stays. */
  endsBeforeDeadline?: boolean;
  /** The outcome is right only if the API means what it says: docs/reliability.md names it as a limit. */
  assumption?: boolean;
  create?: Course;
  update?: Course;
  delete?: Course;
}

/** A row as the tables write it. */
export type Line = [fault: string, cause: Cause, then: Omit<Row, "fault" | "cause">];

type Cause =
  /** A fault of the simulator; a function if it depends on the clock, or on the URL of the API. */
  | { fault: Fault | ((apiUrl: string) => Fault) }
  /** A connection that fails below HTTP. */
  | { wire: Wire }
  /** The webhook was deleted in the dashboard. */
  | { missing: true };

/** The API replies with a status of its own. */
export const status = (
  code: number,
  more: Omit<Extract<Fault, { kind: "status" }>, "kind" | "status"> = {},
) => ({ fault: { kind: "status", status: code, ...more } as const });
/** The operation takes effect all the same. */
export const commit = true;
/** A web page, as a proxy sends it. */
export const html = { body: "<!doctype html>\n<title>Oops</title>\n", contentType: "text/html" };
