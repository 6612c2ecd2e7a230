/// <reference lib="dom" />

import { describe, expect } from "vitest";
import { LIMIT, ORDERS, REFUNDS, test } from "./browser.js";
import { send } from "./send.js";

const WIDTHS = [360, 780, 1280, 1600];

/** Finds the visible targets with a side of fewer pixels. The label of a checkbox belongs to its target. */
function findSmallTargets(least: number) {
  const targets = [...document.querySelectorAll("a, button, input, select, summary")]
    .map((element) => element.closest("label:has([type=checkbox])") ?? element)
    .filter((element) => element.checkVisibility());
  const small = targets
    .map((element) => ({ text: element.outerHTML, box: element.getBoundingClientRect() }))
    .filter(({ box }) => Math.min(box.width, box.height) < least)
    .map(({ text, box }) => `${Math.round(box.width)} x ${Math.round(box.height)}: ${text.slice(0, 80)}`);
  return { looked: targets.length, small };
}

describe.concurrent("the UI", () => {
  test("lists the last requests, the newest first, and clears them", async ({ ui }) => {
    await send(ui.simulator, "update", { webhook_id: "7" });
    await send(ui.simulator, "update", { webhook_id: "7", name: "Orders" });
    ui.simulator.inject({ fault: { kind: "reset", when: "before commit" } });
    await send(ui.simulator, "delete", { webhook_id: "1" }).catch(() => {});
    const titles = () => ui.requests.locator("b").allInnerTexts();
    await ui.until(titles).toEqual(["delete", "update", "update (probe)"]);
    await ui.requests.first().getByText("no reply").waitFor();
    expect(await ui.requests.last().innerText()).toContain("404 Not Found");
    await ui.button("Clear").click();
    await ui.until(() => ui.requests.count()).toBe(0);
    expect(ui.simulator.calls).toEqual([]);
  });

  test("shows the status, the duration, and on demand the reply of a request", async ({ ui }) => {
    ui.simulator.behavior.firstId = "90071992547409931234";
    await send(ui.simulator, "create", { ...ORDERS, name: "Name of whsec-canary", secret: "whsec-canary" });
    await ui.until(() => ui.requests.first().innerText()).toMatch(/201 Created\s+\d+ ms/);
    const reply = ui.requests.locator("pre");
    expect(await reply.isVisible()).toBe(false);
    await ui.requests.getByText("Reply").click();
    expect(await reply.innerText()).toMatch(
      /^{"data":{"webhook":{"id":90071992547409931234,"name":"Name of \[secret\]",/,
    );
    expect(await ui.page.content()).not.toContain("canary");
    await ui.requests.getByText("Reply").click();
    expect(await reply.isVisible()).toBe(false);
  });

  test("makes the next create fail, and shows that the fault is on and then used up", async ({ ui }) => {
    await ui.addFault("Connection reset after the effect", { requests: "creates" });
    const fault = ui.faults.filter({ hasText: "reset after commit: the next create" });
    await fault.waitFor();
    await expect(send(ui.simulator, "create", ORDERS)).rejects.toThrow();
    await ui.webhook("Orders").waitFor();
    await ui.requests.getByText("Fault: reset after commit (took effect)").waitFor();
    await ui.until(() => fault.count()).toBe(0);
    expect((await send(ui.simulator, "create", { ...ORDERS, name: "Refunds" })).status).toBe(201);
  });

  test("makes all requests fail until the fault is removed", async ({ ui }) => {
    const create = async () => (await send(ui.simulator, "create", ORDERS)).status;
    await ui.addFault("Server error (500)", { times: "every time" });
    await ui.faults.getByText("status 500, no effect: every request").waitFor();
    expect([await create(), await create()]).toEqual([500, 500]);
    await ui.button("Remove fault: status 500, no effect: every request").click();
    await ui.until(() => ui.faults.count()).toBe(0);
    expect(await create()).toBe(201);
  });

  test("can add each fault that it offers", async ({ ui }) => {
    const offered = ui.page.getByLabel("Fault", { exact: true }).locator("option");
    const names = (await offered.allInnerTexts()).slice(1);
    for (const name of names) await ui.addFault(name, { requests: "deletes", times: "2 times" });
    await ui.until(() => ui.faults.count()).toBe(names.length);
    expect(names).toHaveLength(12);
    await ui.faults.getByText("latency 5000 ms: the next 2 deletes").waitFor();
  });

  test("shows the faults that a program added", async ({ ui }) => {
    const which = { times: 3, skip: 1, probability: 0.5, match: () => true, operation: "delete" } as const;
    ui.simulator.inject({ ...which, fault: { kind: "status", status: 418 } });
    const scope = "the next 3 deletes, after 1 more, 50 % of them, if match() returns true";
    await ui.faults.getByText(`status 418, no effect: ${scope}`).waitFor();
  });

  test("changes the behavior, shows the error for a value, and shows a program's changes", async ({ ui }) => {
    ui.simulator.behavior.idPlace = "none";
    await ui.page.getByText("default: data.webhook.id").waitFor();
    const idPlace = ui.page.getByLabel("Where the reply to a create holds the id");
    expect(await idPlace.inputValue()).toBe("none");
    await ui.page.getByLabel("What an update does to fields it omits").selectOption("cleared");
    await ui.until(() => ui.simulator.behavior.omittedFields).toBe("cleared");
    const limit = ui.page.getByLabel(LIMIT);
    await limit.fill("5");
    await limit.press("Enter");
    await ui.alert("expected PER_SECOND:BURST").waitFor();
    await limit.fill("5:10:headers");
    await limit.press("Enter");
    await ui.until(() => ui.simulator.behavior.rateLimit).toEqual({ perSecond: 5, burst: 10, headers: true });
  });

  test("makes every target at least 24 pixels large, and 32 on a phone", async ({ ui }) => {
    ui.simulator.dashboard.create({ ...ORDERS, secret: "whsec-canary" });
    await send(ui.simulator, "update", { webhook_id: "1" });
    const check = async (least: number) => {
      await ui.requests.getByText("200 OK").waitFor();
      const page = await ui.page.evaluate(findSmallTargets, least);
      expect(page).toEqual({ looked: expect.toSatisfy((count: number) => count > 25), small: [] });
      await ui.button("New webhook").click();
      expect(await ui.page.evaluate(findSmallTargets, least)).toMatchObject({ small: [] });
      await ui.button("Cancel").click();
    };
    await check(24);
    await ui.open({ viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    await check(32);
  });

  test("reconnects to a restarted simulator and shows its webhooks", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    await ui.webhook("Orders").waitFor();
    const port = Number(new URL(ui.simulator.pageUrl).port);
    await ui.simulator.close();
    await ui.page.getByText("The simulator is not reachable. Reconnecting").waitFor();
    await ui.start({ port });
    ui.simulator.dashboard.create(REFUNDS);
    await ui.webhook("Refunds").waitFor();
    expect(await ui.webhooks.count()).toBe(1);
    await ui.page.getByText("Live", { exact: true }).waitFor();
    // The browser's own messages about an unreachable server.
    ui.complaints = ui.complaints.filter(
      (text) => !/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING)/.test(text),
    );
  });

  test("fits on any screen, however long a name and a URL, and with all options", async ({ ui }) => {
    const long = "x".repeat(500);
    await send(ui.simulator, "create", { url: `https://example.com/${long}`, name: long, [long]: long });
    await send(ui.simulator, "create", { url: ORDERS.url, name: "\u{645}\u{631}\u{62d} ".repeat(40) });
    ui.simulator.inject({ fault: { kind: "redirect", to: ORDERS.url }, match: () => false, skip: 1 });
    await ui.webhook(long).waitFor();
    await ui.addFault("Late reply (5 s)");
    const overflow = () => ui.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    for (const width of WIDTHS) {
      await ui.page.setViewportSize({ width, height: 740 });
      expect(await overflow()).toBeLessThanOrEqual(0);
      await ui.page.getByRole("button", { name: `Delete ${long}` }).click();
      const { x = 0, width: size = Infinity } = (await ui.dialog.getByRole("article").boundingBox()) ?? {};
      expect(x + size).toBeLessThanOrEqual(width);
      await ui.button("Cancel").click();
    }
  });
});
