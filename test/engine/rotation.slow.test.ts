import { expect, it } from "vitest";
import { Receiver, Sender } from "./deliveries.js";
import { Gateway } from "./gateway.js";
import { KEY, SECRET, Stack } from "./stack.js";

const ROTATED = "whsec-canary-rotated";
const SECOND_KEY = "key-canary-second";
const THIRD_KEY = "key-canary-third";
const IN_FLIGHT = 3000;
/** Each request of the stack takes this long, so that the moment between two of them is as long as at a real API. */
const LATENCY = { times: Number.POSITIVE_INFINITY, fault: { kind: "latency", milliseconds: 200 } } as const;

const orders = (receiver: Receiver, secret: string, options = "{}") =>
  `new webhooks.Webhook("orders", { url: "${receiver.url}", secret: "${secret}" }, ${options});`;

it("delivers every event while the secret is rotated, those in flight too, and some of them twice", async () => {
  await using receiver = await Receiver.start([SECRET]);
  await using stack = await Stack.create({ program: orders(receiver, SECRET) });
  await stack.up();
  await using sender = Sender.start(stack.api, { inFlight: IN_FLIGHT });

  receiver.secrets = [SECRET, ROTATED];
  await stack.declare(orders(receiver, ROTATED));
  stack.takeCalls();
  stack.api.inject(LATENCY);
  let beforeDelete = Number.POSITIVE_INFINITY;
  stack.api.onCall = ({ operation }) => {
    if (operation === "delete") beforeDelete = receiver.count(SECRET);
  };
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create orders", "delete 1"]);
  await sender.stop();

  expect(lost(sender, receiver)).toEqual([]);
  expect(receiver.rejected).toBe(0);
  expect(sender.events).toBeGreaterThan(IN_FLIGHT + 1000);
  // The receiver still needs the old secret for what was in flight when its webhook was deleted.
  expect(receiver.count(SECRET) - beforeDelete).toBeGreaterThan(2000);
  const twice = [...receiver.accepted.values()].filter(({ length }) => length > 1);
  expect(twice.length).toBeGreaterThan(0);
  for (const secrets of twice) expect(secrets.toSorted()).toEqual([SECRET, ROTATED].toSorted());

  receiver.secrets = [ROTATED];
  receiver.accepted.clear();
  await using later = Sender.start(stack.api, { inFlight: 100 });
  await later.stop();
  expect(lost(later, receiver)).toEqual([]);
  expect(receiver.rejected).toBe(0);
});

it("loses the events between the delete and the create with deleteBeforeReplace", async () => {
  await using receiver = await Receiver.start([SECRET, ROTATED]);
  const options = "{ deleteBeforeReplace: true }";
  await using stack = await Stack.create({ program: orders(receiver, SECRET, options) });
  await stack.up();
  await using sender = Sender.start(stack.api, { inFlight: IN_FLIGHT });

  await stack.declare(orders(receiver, ROTATED, options));
  stack.takeCalls();
  stack.api.inject(LATENCY);
  await stack.up();
  expect(stack.takeCalls()).toEqual(["delete 1", "create orders"]);
  await sender.stop();

  expect(receiver.rejected).toBe(0);
  expect(lost(sender, receiver).length).toBeGreaterThan(0);
  expect([...receiver.accepted.values()].filter(({ length }) => length > 1)).toEqual([]);
});

it("loses what waits for the old webhook at an API that drops it, unless both are declared for a while", async () => {
  const second = (secret: string) =>
    `new webhooks.Webhook("second", { url: "${receiver.url}", secret: "${secret}" });`;
  await using receiver = await Receiver.start([SECRET, ROTATED]);
  await using stack = await Stack.create({ program: orders(receiver, SECRET) });
  await stack.up();
  await using sender = Sender.start(stack.api, { inFlight: IN_FLIGHT, dropsDeleted: true });

  await stack.declare(orders(receiver, SECRET) + second(ROTATED));
  await stack.up();
  await sender.deliverAll();
  await stack.declare(second(ROTATED));
  await stack.up();
  await sender.stop();
  expect(lost(sender, receiver)).toEqual([]);

  receiver.accepted.clear();
  await using later = Sender.start(stack.api, { inFlight: IN_FLIGHT, dropsDeleted: true });
  await stack.declare(second(SECRET));
  await stack.up();
  await later.stop();
  expect(lost(later, receiver).length).toBeGreaterThan(0);
  expect(receiver.rejected).toBe(0);
});

it("rotates the API key while the API accepts both, and shows no change of any webhook", async () => {
  await using gateway = await Gateway.start([KEY]);
  const program = (url: string) => `new webhooks.Webhook("orders", { url: "https://example.com/${url}" });`;
  await using stack = await Stack.create({
    program: program("a"),
    config: { "webhooks:baseUrl": gateway.url },
  });
  await stack.up();
  expect(gateway.requests).toEqual([`${KEY} 201`]);

  gateway.keys = [KEY, SECOND_KEY];
  await stack.configure({}, { "webhooks:apiKey": SECOND_KEY });
  await stack.expectNoChanges();
  await stack.up();
  gateway.keys = [SECOND_KEY];
  await stack.declare(program("b"));
  await stack.up();
  expect(gateway.requests).toEqual([`${KEY} 201`, `${SECOND_KEY} 200`]);

  // Until an up with the new key, a destroy uses the one in the state.
  gateway.keys = [THIRD_KEY];
  await stack.configure({}, { "webhooks:apiKey": THIRD_KEY });
  expect(await stack.fails("destroy", "--yes", "--skip-preview")).toContain(
    "A refresh or a destroy without --run-program uses the key of the last up",
  );
  await stack.destroy("--run-program");
  expect(gateway.requests.slice(2)).toEqual([`${SECOND_KEY} 401`, `${THIRD_KEY} 200`]);
  expect(gateway.api.webhooks).toEqual([]);
});

/** Lists the numbers of the events that the receiver never accepted. */
function lost({ events }: Sender, { accepted }: Receiver): number[] {
  return Array.from({ length: events }, (_, event) => event).filter((event) => !accepted.has(event));
}
