import type { View } from "../view.js";

interface Handlers {
  onView(view: View): void;
  onConnection(isConnected: boolean): void;
}

/** Follows the state of the simulator. */
export function follow(handlers: Handlers): void {
  const source = new EventSource("/@ui/events");
  source.onopen = () => handlers.onConnection(true);
  source.onmessage = ({ data }) => handlers.onView(JSON.parse(data));
  source.onerror = () => {
    handlers.onConnection(false);
    // The browser reconnects by itself, but gives up after a reply that is no stream.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => follow(handlers), 3000);
  };
}

/** Runs an action of the simulator, and shows its error at the top of the page. */
export type Run = (action: string, input: object) => Promise<void>;

/**
 * Runs an action of the simulator; its effect arrives with the next state.
 * @throws an error with a message for the person.
 */
export async function send(action: string, input: object): Promise<void> {
  const reply = await fetch(`/@ui/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  }).catch(() => {
    throw new Error("The simulator is not reachable.");
  });
  if (reply.ok) return;
  const { message } = await reply.json();
  throw new Error(String(message));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
