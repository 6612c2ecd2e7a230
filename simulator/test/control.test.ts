import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import { isOwnHost } from "../src/control/serve.js";
import { type Simulator, startSimulator } from "../src/index.js";
import { ORDERS as CREATE, send as sendToApi } from "./send.js";

const KEY = "key-canary-4711";
const SECRET = "whsec-canary-0815";
const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders" };

let simulator: Simulator;
let origin: string;

beforeEach(async () => {
  simulator = await startSimulator({ apiKey: KEY });
  origin = new URL(simulator.pageUrl).origin;
  return () => simulator.close();
});

/** Sends a request. Not with fetch, which sets Host and Origin itself, and normalizes paths. */
async function send(method: string, path: string, headers: Record<string, string> = {}, body = "") {
  const sent = request(origin, { method, path, headers }).end(body);
  const [reply] = await once(sent, "response");
  return { status: reply.statusCode, body: await text(reply) };
}

async function get(path: string) {
  return JSON.parse((await send("GET", `/@simulator${path}`)).body);
}

/** Posts JSON, as a test in any language does. */
async function post(path: string, body: unknown = {}, more: Record<string, string> = {}) {
  const headers = { "content-type": "application/json", ...more };
  const reply = await send("POST", `/@simulator/${path}`, headers, JSON.stringify(body));
  return { status: reply.status, json: JSON.parse(reply.body) };
}

/** Posts a form, as curl does. */
function postForm(path: string, body: string, more: Record<string, string> = {}) {
  const headers = { "content-type": "application/x-www-form-urlencoded", ...more };
  return send("POST", `/@simulator/${path}`, headers, body);
}

describe("the control API", () => {
  it("creates, edits, lists and deletes webhooks as the dashboard does, without a request", async () => {
    const created = await post("webhooks", { ...ORDERS, secret: SECRET, enabled: false });
    expect(created.json).toMatchObject({ id: "1", ...ORDERS, enabled: false, hasSecret: true });
    expect((await postForm("webhooks/1", "name=Other&enabled=true")).status).toBe(200);
    const { secret, ...stored } = simulator.webhooks[0] ?? {};
    expect([secret, stored]).toEqual([SECRET, expect.objectContaining({ name: "Other", enabled: true })]);
    expect(await get("/webhooks")).toEqual([{ ...stored, hasSecret: true }]);
    expect(await get("/webhooks/1")).toEqual({ ...stored, hasSecret: true });
    expect((await post("webhooks/1/delete")).json).toEqual({});
    expect([await get("/webhooks"), simulator.calls]).toEqual([[], []]);
  });

  it("adds faults in the notation, shows what is left of them, and removes them", async () => {
    await postForm("faults", "fault=create: reset after commit, 2 times");
    const second = { number: 2, fault: "update: status 500, always, after 1" };
    expect((await post("faults", { fault: "update: status 500, always, after 1" })).json).toEqual(second);
    await sendToApi(simulator, "create", CREATE).catch(() => {});
    await sendToApi(simulator, "update", {});
    const first = { number: 1, fault: "create: reset after commit" };
    expect(await get("/faults")).toEqual([first, { ...second, fault: "update: status 500, always" }]);
    await post("faults/2/remove");
    expect(await get("/faults")).toEqual([first]);
    await post("faults/clear");
    expect(await get("/faults")).toEqual([]);
  });

  it("lists the requests, and clears them", async () => {
    await sendToApi(simulator, "update", { webhook_id: "7" });
    const reply = expect.stringContaining("not found");
    const request = { number: 1, operation: "update", body: { webhook_id: "7" }, status: 404, reply };
    expect(await get("/requests")).toMatchObject([request]);
    expect((await send("POST", "/@simulator/requests/clear")).status).toBe(200);
    expect(await get("/requests")).toEqual([]);
  });

  it("sets the behavior as on the command line", async () => {
    const { json } = await post("behavior", { clockSkewSeconds: 5, timestampsInCreateReply: false });
    expect(json).toMatchObject({ clockSkewSeconds: "5", timestampsInCreateReply: "false", rateLimit: "" });
    expect(simulator.behavior).toMatchObject({ clockSkewSeconds: 5, timestampsInCreateReply: false });
    await postForm("behavior", "rateLimit=5:10:headers");
    expect(simulator.behavior.rateLimit).toEqual({ perSecond: 5, burst: 10, headers: true });
    expect(await get("/behavior")).toEqual({ ...json, rateLimit: "5:10:headers" });
    await post("behavior", { rateLimit: "" });
    expect(simulator.behavior.rateLimit).toBe(undefined);
  });

  it("changes the API key", async () => {
    const create = async () => (await sendToApi(simulator, "create", CREATE)).status;
    const reply = await post("key", { apiKey: "next-canary" });
    expect([reply.json, simulator.apiKey, await create()]).toEqual([{}, "next-canary", 201]);
    const refused = await post("key", { apiKey: "with a space" });
    expect(refused.status).toBe(422);
    expect(refused.json.message).toContain("apiKey: expected");
    expect(await create()).toBe(201);
  });

  it("resets the simulator to its start", async () => {
    const own = await startSimulator({ behavior: { idType: "string" }, apiKey: KEY });
    const show = () => fetch(own.controlUrl).then((reply) => reply.json());
    const before = await show();
    expect(before).toMatchObject({ webhooks: [], requests: [], behavior: { idType: "string" } });
    for (const _twice of [1, 2]) {
      own.behavior.simultaneousChanges = 409;
      const waiting = sendToApi(own, "create", CREATE);
      await expect.poll(() => own.calls.length).toBe(1);
      own.reset();
      expect((await sendToApi(own, "create", CREATE)).status).toBe(201);
      await waiting;
      await fetch(`${own.controlUrl}/reset`, { method: "POST" });
      await sendToApi(own, "create", CREATE);
      expect(own.webhooks).toMatchObject([{ id: "1" }]);
      own.inject("close, always");
      own.behavior.idType = "number";
      own.apiKey = "rotated";
      own.reset();
      expect([await show(), own.apiKey]).toEqual([before, KEY]);
    }
    await own.close();
  });

  it("sends an event at once and after each change, and ends with the simulator", async () => {
    const reply = await fetch(`${simulator.controlUrl}/events`);
    const events = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    const waitFor = async (text: string) => {
      while (!received.includes(text)) received += (await events?.read())?.value;
    };
    await waitFor("data: 1\n\n");
    simulator.behavior.idType = "string";
    await waitFor("data: 2\n\n");
    const end = events?.read().catch(() => "aborted");
    await simulator.close();
    expect(await end).toBe("aborted");
  });

  it("is not in the request log, gets no faults and requires no key, unlike the API", async () => {
    simulator.inject({ times: Infinity, fault: { kind: "status", status: 418 } });
    for (const method of ["GET", "HEAD"]) expect((await send(method, "/")).status).toBe(200);
    expect((await post("webhooks", ORDERS)).status).toBe(200);
    expect(simulator.calls).toEqual([]);
    simulator.clearFaults();
    expect((await send("POST", "/")).status).toBe(404);
    expect((await send("GET", "/webhooks")).status).toBe(405);
    expect((await send("GET", "/@simulators")).status).toBe(404);
    expect(simulator.calls).toHaveLength(3);
  });

  it("shows no secret in its field, in webhooks, requests and replies, nor does the page", async () => {
    await post("webhooks", { ...ORDERS, secret: SECRET });
    await sendToApi(simulator, "create", { ...ORDERS, secret: SECRET });
    simulator.inject({ fault: { kind: "reply", raw: SECRET } });
    await sendToApi(simulator, "update", { webhook_id: "1" });
    for (const path of ["/@simulator", "/"]) {
      const { body } = await send("GET", path);
      expect(body).toContain("[secret]");
      expect(body).not.toContain("canary");
    }
  });

  it.each([
    ["webhooks", { name: "Orders" }, 422, "The url field is required."],
    ["webhooks", { ...ORDERS, nmae: "Other" }, 422, 'Unrecognized key: "nmae"'],
    ["webhooks", [ORDERS], 422, "The body must be a JSON object"],
    ["webhooks", { ...ORDERS, name: {} }, 422, "The body must be a JSON object"],
    ["webhooks/7", { name: "Other" }, 404, "Webhook not found."],
    ["webhooks/7/delete", {}, 404, "Webhook not found."],
    ["faults", { fault: "nothing" }, 422, 'Unknown fault "nothing"'],
    ["faults/7/remove", {}, 404, "Fault not found."],
    ["behavior", { idPlace: "here" }, 422, "behavior.idPlace: expected data.webhook.id | data.id"],
    ["behavior", { nothing: "here" }, 422, "the options are idPlace"],
    ["nothing", {}, 404, "There is no such path."],
  ])("refuses %s with %j by %i", async (path, body, status, message) => {
    const reply = await post(path, body);
    expect([reply.status, reply.json.message]).toEqual([status, expect.stringContaining(message)]);
    expect(simulator.webhooks).toEqual([]);
  });

  it("refuses other methods, types and paths, and what is not JSON", async () => {
    expect((await send("PUT", "/@simulator/webhooks")).status).toBe(405);
    expect((await post("webhooks", ORDERS, { "content-type": "text/plain" })).status).toBe(415);
    const json = { "content-type": "application/json" };
    expect((await send("POST", "/@simulator/webhooks", json, "{")).status).toBe(422);
    for (const path of ["webhooks/1", "webhooks/x", "../page/page.ts", "%00", "constructor", "style.css/"]) {
      expect((await send("GET", `/@simulator/${path}`)).status, path).toBe(404);
    }
  });

  it.each([
    ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["another port", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
    ["a site in an old browser", { origin: "https://evil.example" }],
    ["a sandboxed frame", { origin: "null" }],
    ["a foreign host with the same origin", { host: "evil.example", origin: "http://evil.example" }],
  ])("refuses a change by %s, as JSON and as a form", async (_, headers) => {
    expect((await post("webhooks", ORDERS, headers)).status).toBe(403);
    const form = { ...headers, accept: "text/html" };
    const refused = await postForm("webhooks", "url=https://example.com&name=Orders", form);
    expect([refused.status, Object.keys(JSON.parse(refused.body))]).toEqual([403, ["message"]]);
    expect(simulator.webhooks).toEqual([]);
  });

  it("refuses to show anything to another site, but another site may link to the page", async () => {
    for (const path of ["/", "/@simulator", "/@simulator/events", "/@simulator/icon.svg"]) {
      const { status } = await send("GET", path, { "sec-fetch-site": "cross-site" });
      expect(status).toBe(path === "/" ? 200 : 403);
    }
    // As a browser does for a URL that a person enters.
    expect((await send("GET", "/@simulator", { "sec-fetch-site": "none" })).status).toBe(200);
  });

  it("refuses foreign hosts, also for the API: a site can point its name at 127.0.0.1", async () => {
    for (const path of ["/", "/@simulator", "/webhooks"])
      expect((await send("GET", path, { host: "evil.example" })).status).toBe(403);
    const own = ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "webhooks.localhost:80"];
    const foreign = ["127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1:80", "", " "];
    expect([...own, ...foreign].filter((host) => isOwnHost(host, "127.0.0.1"))).toEqual(own);
    const network = ["webhooks:8080", "10.0.0.1:80", "[fd00::1]:80", "webhooks.test:80"];
    const all = [...own, ...network, "webhooks.evil.example", "10.0.0.1.evil.example:80"];
    expect(all.filter((host) => isOwnHost(host, "webhooks.test"))).toEqual([...own, ...network]);
  });
});

it("the simulator listens at the given address, and prints a URL that reaches it", async () => {
  const own = await startSimulator({ host: "0.0.0.0", apiKey: KEY });
  expect((await sendToApi(own, "create", CREATE)).status).toBe(201);
  const { port } = new URL(own.url);
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all);
  for (const { address } of addresses.filter(({ family }) => family === "IPv4"))
    expect((await fetch(`http://${address}:${port}/`)).status).toBe(200);
  await own.close();
});

it("the simulator listens on 127.0.0.1 only, if it gets no other address", async () => {
  const port = Number(new URL(origin).port);
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  for (const host of [...own, "127.0.0.2"].filter((address) => !/^(fe80|127\.0\.0\.1$)/.test(address))) {
    const socket = connect({ port, host });
    const error = await new Promise((resolve) => {
      socket.once("error", resolve).once("connect", () => resolve(`something listens on ${host}`));
    });
    expect(error).toBeInstanceOf(Error);
    socket.destroy();
  }
});
