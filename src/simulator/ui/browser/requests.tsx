import type { View } from "../view.js";
import type { Run } from "./connection.js";
import { Text, Time, visible } from "./text.js";

type Request = View["requests"][number];

export function Requests({ requests, run }: { requests: readonly Request[]; run: Run }) {
  return (
    <section id="requests" aria-labelledby="requests-title">
      <div class="title">
        <h2 id="requests-title">Last requests</h2>
        {requests.length > 0 && (
          <button type="button" class="outline" onClick={() => run("clear-requests", {})}>
            Clear
          </button>
        )}
      </div>
      {requests.length === 0 && <p>No requests yet. Changes in this UI are not listed.</p>}
      <ol class="rows" aria-labelledby="requests-title">
        {requests.toReversed().map((request) => (
          <Row key={request.number} request={request} />
        ))}
      </ol>
    </section>
  );
}

function Row({ request }: { request: Request }) {
  const { at, title, outcome, milliseconds, isError, fields, reply, fault } = request;
  return (
    <li>
      <p class="facts">
        <b>
          <Text>{title}</Text>
        </b>
        <span class={isError ? "bad" : "good"}>{outcome}</span>
        {milliseconds !== undefined && <span>{milliseconds.toLocaleString("en")} ms</span>}
        {fault && <span class="bad">Fault: {fault}</span>}
        <Time of={at} />
      </p>
      <dl class="facts">
        {fields.map(({ field, value }) => (
          <div key={field}>
            <dt>
              <Text>{field}</Text>
            </dt>
            <dd>
              <Text>{value}</Text>
            </dd>
          </div>
        ))}
      </dl>
      {reply && (
        <details>
          <summary>Reply</summary>
          <pre>{visible(reply)}</pre>
        </details>
      )}
    </li>
  );
}
