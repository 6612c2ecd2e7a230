import type { Fault } from "../../fault.js";
import type { View } from "../view.js";
import type { Run } from "./connection.js";

/** The faults that the UI offers. A client needs to know whether the request took effect, and whether it can find out. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  "No effect": {
    "Too many requests (429, Retry-After: 1)": { kind: "status", status: 429, retryAfter: "1" },
    "Unavailable (503, Retry-After: 1)": { kind: "status", status: 503, retryAfter: "1" },
    "Server error (500)": { kind: "status", status: 500 },
    "Key refused (401)": { kind: "status", status: 401 },
    "Connection reset": { kind: "reset", when: "before commit" },
    "No reply until the time-out": { kind: "hang", commit: false },
  },
  "Takes effect, but the reply does not show it": {
    "Connection reset after the effect": { kind: "reset", when: "after commit" },
    "No reply after the effect": { kind: "hang", commit: true },
    "Server error (500) after the effect": { kind: "status", status: 500, commit: true },
    "Web page instead of JSON": { kind: "reply", body: "html" },
    "JSON cut off in the middle": { kind: "reply", body: "malformed" },
  },
  "Takes effect, late": {
    "Late reply (5 s)": { kind: "latency", milliseconds: 5000 },
  },
};
const FAULTS: ReadonlyMap<unknown, Fault> = new Map(Object.values(GROUPS).flatMap(Object.entries));

export function Faults({ rules, run }: { rules: View["faults"]; run: Run }) {
  const add = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const [operation, times] = [values.get("operation"), values.get("times")];
    return run("add-fault", {
      fault: FAULTS.get(values.get("fault")),
      ...(operation && { operation }),
      ...(times && { times: Number(times) }),
    });
  };
  return (
    <section id="faults" aria-labelledby="faults-title">
      <form class="title" onSubmit={add}>
        <h2 id="faults-title">Faults</h2>
        <select name="fault" aria-label="Fault" required>
          <option value="">Choose a fault …</option>
          {Object.entries(GROUPS).map(([group, faults]) => (
            <optgroup key={group} label={group}>
              {Object.keys(faults).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </optgroup>
          ))}
        </select>
        <select name="operation" aria-label="Which requests">
          <option value="">all requests</option>
          <option value="create">creates</option>
          <option value="update">updates</option>
          <option value="delete">deletes</option>
        </select>
        <select name="times" aria-label="How often">
          <option value="1">once</option>
          <option value="2">2 times</option>
          <option value="5">5 times</option>
          <option value="">every time</option>
        </select>
        <button type="submit">Add fault</button>
      </form>
      {rules.length > 0 && (
        <ul class="rows" aria-labelledby="faults-title">
          {rules.map(({ number, text }) => (
            <li key={number} class="title">
              <span>{text}</span>
              <button
                type="button"
                class="outline"
                aria-label={`Remove fault: ${text}`}
                onClick={() => run("remove-fault", { number })}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
