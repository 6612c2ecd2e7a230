import { describe, expect, it } from "vitest";
import type { Simulator } from "../src/index.js";
import { ORDERS, send } from "./send.js";
import { start, until } from "./start.js";

async function load(simulator: Simulator): Promise<string> {
  return (await fetch(simulator.pageUrl)).text();
}

/** Returns the texts of a page, without its markup. */
const textOf = (page: string) => page.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("the page", () => {
  it("is at /, whatever the API's path, and allows nothing foreign, nothing inline and no frames", async () => {
    const simulator = await start({ path: "/v1" });
    expect(await load(simulator)).toContain(simulator.url);
    for (const path of ["/", "/@simulator/icon.svg", "/@simulator/nothing"]) {
      const { headers } = await fetch(new URL(path, simulator.pageUrl));
      const policy = headers.get("content-security-policy") ?? "";
      for (const rule of [
        "default-src 'none'",
        "form-action 'self'",
        "frame-ancestors",
        "trusted-types 'none'",
      ])
        expect(policy).toContain(rule);
      expect(policy).not.toContain("unsafe");
      const others = ["x-content-type-options", "cross-origin-resource-policy", "cache-control"];
      expect(others.map((name) => headers.get(name))).toEqual(["nosniff", "same-origin", "no-store"]);
    }
  });

  it("lists webhooks, requests and faults, the newest first", async () => {
    const simulator = await start();
    simulator.dashboard.create({ url: "https://example.com/first", name: "First", enabled: false });
    await send(simulator, "create", ORDERS);
    await send(simulator, "update", { webhook_id: "7" });
    simulator.inject("reset before commit");
    await send(simulator, "delete", { webhook_id: "1" }).catch(() => {});
    simulator.inject("close, 3 times, after 1");
    await until(() => simulator.calls.at(-1)?.milliseconds).toBeDefined();
    const UTC = "20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC";
    const parts = [
      `Orders Disable ${ORDERS.url} enabled id 2 has a secret created ${UTC} Edit`,
      `First Enable https://example.com/first disabled id 1 no secret created ${UTC} Edit`,
      `delete no reply \\d+ ms Fault: reset before commit \\(no effect\\) ${UTC} {"webhook_id":"1"}`,
      `update \\(probe\\) 404 Not Found \\d+ ms ${UTC} {"webhook_id":"7"} Reply`,
      `create 201 Created \\d+ ms ${UTC} {.*"name":"Orders","secret":"\\[secret\\]","enabled":"true"} Reply`,
      "close, 3 times, after 1 Remove",
    ];
    const page = await load(simulator);
    expect(textOf(page).replaceAll("&#34;", '"')).toMatch(new RegExp(parts.join(".*")));
    expect(page).not.toContain(ORDERS.secret);
  });

  it("shows markup of someone else as text, and invisible characters as such", async () => {
    const simulator = await start();
    const name = `</bdi><script>"'&\u{202e}`;
    await send(simulator, "create", { ...ORDERS, name, [name]: name });
    const page = await load(simulator);
    expect(page.match(/<script|\u{202e}/gu)).toEqual(["<script"]);
    expect(page).toContain('name="name" value="&#60;/bdi&#62;&#60;script&#62;&#34;&#39;&#38;\u{fffd}"');
  });

  it("suggests only faults that exist", async () => {
    const simulator = await start();
    const [, list = ""] = /<datalist(.*?)<\/datalist>/s.exec(await load(simulator)) ?? [];
    const suggested = [...list.matchAll(/<option value="(.*?)">/g)].map(([, fault = ""]) => fault);
    expect(suggested).not.toEqual([]);
    for (const fault of suggested) simulator.inject(fault);
  });

  it("shows each behavior option with its value, and its default if that is another", async () => {
    const page = await load(await start({ behavior: { idPlace: "none", firstId: "7" } }));
    expect(page).toContain("<option selected>none</option>");
    expect(page).toContain("default: data.webhook.id");
    expect(page).toContain('<input id="firstId" name="firstId" value="7"');
  });
});
