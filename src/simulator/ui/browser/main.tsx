import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { View } from "../view.js";
import { Behavior } from "./behavior.js";
import type { Run } from "./connection.js";
import { follow, messageOf, send } from "./connection.js";
import { Faults } from "./faults.js";
import { Requests } from "./requests.js";
import { Text } from "./text.js";
import { Webhooks } from "./webhooks.js";

function App() {
  const [view, setView] = useState<View>();
  const [isConnected, setConnected] = useState(false);
  const [problem, setProblem] = useState("");
  const run: Run = async (action, input) => {
    setProblem("");
    await send(action, input).catch((error: unknown) => setProblem(messageOf(error)));
  };
  useEffect(() => follow({ onView: setView, onConnection: setConnected }), []);

  if (!view) return <p aria-busy="true">Connecting …</p>;
  const { webhooks, requests, faults, behavior, path, dataFile } = view;
  return (
    <>
      <header>
        <h1>Webhook API simulator</h1>
        <p role="status" class={isConnected ? "good" : "bad"}>
          {isConnected ? "Live" : "The simulator is not reachable. Reconnecting …"}
        </p>
        <p>
          Base URL <code>{location.origin + path}</code>
        </p>
        <p>
          Webhooks <Text>{dataFile === undefined ? "in memory" : `in ${dataFile}`}</Text>
        </p>
      </header>
      <nav aria-label="Sections">
        <a href="#faults">Faults</a>
        <a href="#webhooks">Webhooks</a>
        <a href="#requests">Requests</a>
        <a href="#behavior">Behavior</a>
      </nav>
      {problem && (
        <p role="alert" class="bad">
          <Text>{problem}</Text>
        </p>
      )}
      <main class={isConnected ? "" : "away"}>
        <Faults rules={faults} run={run} />
        <Webhooks webhooks={webhooks} run={run} />
        <Requests requests={requests} run={run} />
        <Behavior options={behavior} />
      </main>
    </>
  );
}

render(<App />, document.body);
