/// <reference lib="dom" />

import type { Locator } from "playwright-core";
import { describe, expect } from "vitest";
import { startSimulator } from "../../src/simulator/index.js";
import { test } from "./browser.js";
import { declare } from "./declare.js";
import { send } from "./send.js";

const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders" };
const REFUNDS = { url: "https://example.com/hooks/refunds", name: "Refunds", secret: "whsec-canary-0815" };
const LIMIT = "Requests per second, and at once, before a 429";

/** Finds the words of the UI itself that are on two lines, or cut off. Texts of users are in bdi and pre elements. */
function findBrokenLabels() {
  const broken: string[] = [];
  let looked = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!element?.checkVisibility() || element.closest("bdi, pre, time, script, option, .hidden")) continue;
    for (const { 0: word, index } of (node.textContent ?? "").matchAll(/[^\s-]+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      const isCutOff =
        element.scrollWidth > element.clientWidth && getComputedStyle(element).overflow === "hidden";
      looked += 1;
      if (tops.size > 1 || isCutOff) broken.push(word);
    }
  }
  return { looked, broken };
}

/** Finds the visible targets with a side of fewer pixels. The label of a checkbox belongs to its target. */
function findSmallTargets(least: number) {
  const targets = [...document.querySelectorAll("a, button, input, select")]
    .map((element) => element.closest("label.check") ?? element)
    .filter((element) => element.checkVisibility());
  const small = targets
    .map((element) => ({ text: element.outerHTML, box: element.getBoundingClientRect() }))
    .filter(({ box }) => Math.min(box.width, box.height) < least)
    .map(({ text, box }) => `${Math.round(box.width)} x ${Math.round(box.height)}: ${text.slice(0, 80)}`);
  return { looked: targets.length, small };
}

describe.concurrent("the UI", () => {
  test("lists the last requests, all of them on demand, and clears them", async ({ ui }) => {
    for (let index = 0; index < 12; index += 1) {
      await send(ui.simulator, "create", { ...ORDERS, name: `Orders ${index}` });
    }
    await ui.until(() => ui.requests.first().innerText()).toContain("Orders 11");
    expect(await ui.requests.count()).toBe(8);
    await ui.button("Show all 12").click();
    await ui.until(() => ui.requests.count()).toBe(12);
    await ui.button("Clear").click();
    await ui.until(() => ui.requests.count()).toBe(0);
    expect(ui.simulator.calls).toEqual([]);
  });

  test("shows the status, the duration, and on demand the reply of a request", async ({ ui }) => {
    ui.simulator.behaviour.firstId = "90071992547409931234";
    ui.simulator.inject({ fault: { kind: "latency", milliseconds: 300 } });
    await send(ui.simulator, "create", { ...ORDERS, name: "Name of whsec-canary", secret: "whsec-canary" });
    await ui.until(() => ui.requests.first().innerText()).toMatch(/201 Created\s+[3-9]\d\d ms/);
    const reply = ui.requests.locator("pre");
    expect(await reply.isVisible()).toBe(false);
    const button = ui.requests.getByRole("button", { name: "Reply" });
    await button.click();
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    expect(await reply.innerText()).toMatch(
      /^{\n {2}"data": {\n {4}"webhook": {\n {6}"id": 90071992547409931234,\n {6}"name": "Name of \[secret\]",\n/,
    );
    expect(await ui.page.content()).not.toContain("canary");
    await button.click();
    expect(await reply.isVisible()).toBe(false);
  });

  test("shows each field of a reply on a line of its own, unbroken, on a phone too", async ({ ui }) => {
    await send(ui.simulator, "update", { webhook_id: "7" });
    await send(ui.simulator, "create", { ...ORDERS, enabled: "true" });
    await ui.requests.first().getByRole("button", { name: "Reply" }).click();
    const lines = ui.requests.first().locator("pre > span");
    expect(await lines.allInnerTexts()).toEqual([
      "{",
      '  "data": {',
      '    "webhook": {',
      '      "id": 1,',
      '      "name": "Orders",',
      '      "enabled": "true",',
      expect.stringMatching(/^ {6}"created_at": "[^"]{27}",$/),
      expect.stringMatching(/^ {6}"updated_at": "[^"]{27}"$/),
      "    }",
      "  }",
      "}",
    ]);
    for (const width of [390, 780, 1280, 1600]) {
      await ui.page.setViewportSize({ width, height: 900 });
      const heights = await lines.evaluateAll((all) =>
        all.map((line) => line.getBoundingClientRect().height),
      );
      expect(Math.max(...heights)).toBe(Math.min(...heights));
    }
  });

  test("lists only errors on demand", async ({ ui }) => {
    await send(ui.simulator, "create", ORDERS);
    await ui.requests.getByText("201 Created").waitFor();
    await ui.toggle("Errors only").click();
    await ui.page.getByText("No errors.").waitFor();
    await send(ui.simulator, "delete", { webhook_id: "7" });
    ui.simulator.inject({ fault: { kind: "reset", when: "before commit" } });
    await send(ui.simulator, "delete", { webhook_id: "1" }).catch(() => {});
    await ui.until(() => ui.requests.count()).toBe(2);
    expect(await ui.requests.locator(".outcome").allInnerTexts()).toEqual(["no reply", "404 Not Found"]);
    await ui.toggle("Errors only").click();
    expect(await ui.requests.count()).toBe(3);
  });

  test("makes the next create fail, and shows that the fault is on and then used up", async ({ ui }) => {
    await ui.page.getByLabel("Which requests").selectOption("creates");
    await ui.page.getByLabel("How often").selectOption("once");
    const group = ui.page.getByRole("group", { name: "Takes effect, but the reply does not show it" });
    const reset = group.getByRole("switch", { name: "Connection reset" });
    await reset.click();
    await group.getByText("the next create").waitFor();
    expect(await reset.getAttribute("aria-checked")).toBe("true");

    await expect(declare(ui.simulator, ORDERS)).rejects.toThrow(
      "It is unknown whether the API created this webhook",
    );

    await ui.webhook("Orders").waitFor();
    await ui.requests.getByText("Fault: reset after commit (took effect)").waitFor();
    await ui.until(() => reset.getAttribute("aria-checked")).toBe("false");
    expect((await send(ui.simulator, "create", { ...ORDERS, name: "Refunds" })).status).toBe(201);
  });

  test("makes all requests fail until one fault, or all faults, are turned off", async ({ ui }) => {
    const create = async () => (await send(ui.simulator, "create", ORDERS)).status;
    const server = ui.page
      .getByRole("group", { name: "No effect" })
      .getByRole("switch", { name: "Server error (500)" });
    await server.click();
    await ui.page.getByText("every request").waitFor();
    expect([await create(), await create()]).toEqual([500, 500]);
    await server.click();
    await ui.until(() => server.getAttribute("aria-checked")).toBe("false");
    expect(await create()).toBe(201);
    await ui.toggle("Too many requests (429, Retry-After: 1)").click();
    await ui.toggle("JSON cut off in the middle").click();
    await ui.page.getByText("2 on").waitFor();
    await ui.button("Turn all off").click();
    await ui.until(() => ui.button("Turn all off").isVisible()).toBe(false);
    expect(await create()).toBe(201);
  });

  test("shows the faults that a program added", async ({ ui }) => {
    ui.simulator.inject({ times: 3, operation: "delete", fault: { kind: "status", status: 418 } });
    await ui.page.getByText("status 418: the next 3 deletes").waitFor();
  });

  test("changes the behavior, shows the error for a value, and shows a program's changes", async ({ ui }) => {
    await ui.button("Show all options").click();
    await ui.page.getByLabel("What an update does to fields it omits").selectOption("cleared");
    await ui.until(() => ui.simulator.behaviour.omittedFields).toBe("cleared");
    const limit = ui.page.getByLabel(LIMIT);
    await limit.fill("5");
    await limit.press("Enter");
    await ui.alert("expected PER_SECOND:BURST").waitFor();
    await limit.fill("5:10:headers");
    await limit.press("Enter");
    await ui
      .until(() => ui.simulator.behaviour.rateLimit)
      .toEqual({ perSecond: 5, burst: 10, headers: true });
    ui.simulator.behaviour.idPlace = "none";
    await ui
      .until(() => ui.page.getByLabel("Where the reply to a create holds the id").inputValue())
      .toBe("none");
  });

  test("shows only the behavior options that differ from their default, until asked for all", async ({
    ui,
  }) => {
    const options = ui.page.locator("#behaviour").getByRole("combobox");
    await ui.page.getByText("All options have their defaults.").waitFor();
    expect(await options.count()).toBe(0);
    ui.simulator.behaviour.omittedFields = "cleared";
    await ui.page.getByText("default: kept").waitFor();
    expect(await options.count()).toBe(1);
    expect(await ui.page.getByRole("link", { name: "Behavior" }).innerText()).toBe("Behavior 1 changed");
    await ui.button("Show all options").click();
    expect(await options.count()).toBe(10);
    await ui.button("Show changed options only").click();
    expect(await options.count()).toBe(1);
  });

  test("shows the heading of a section below the navigation, also on a phone", async ({ ui }) => {
    await ui.open({ viewport: { width: 360, height: 780 } });
    for (let id = 1; id <= 30; id += 1) ui.simulator.dashboard.create({ name: `Webhook ${id}` });
    await ui.until(() => ui.webhooks.count()).toBe(30);
    ui.simulator.inject({ times: 2, fault: { kind: "status", status: 500 } });
    ui.simulator.behaviour.idType = "string";
    await ui.page.getByRole("link", { name: "Behavior 1 changed" }).waitFor();
    await ui.page.getByRole("link", { name: "Faults" }).click();
    const top = async (locator: Locator) => (await locator.boundingBox()) ?? { y: Number.NaN, height: 0 };
    const { y, height } = await top(ui.page.getByRole("navigation"));
    await ui
      .until(async () => (await top(ui.page.getByRole("heading", { name: "Faults" }))).y)
      .toBeLessThan(200);
    expect((await top(ui.page.getByRole("heading", { name: "Faults" }))).y).toBeGreaterThan(y + height);
  });

  test("lists webhooks, requests, faults and behavior in this order", async ({ ui }) => {
    expect(await ui.page.getByRole("heading", { level: 2 }).allInnerTexts()).toEqual([
      "Webhooks",
      "Last requests",
      "Faults",
      "Behavior",
    ]);
  });

  test("breaks no label inside a word, on any screen", async ({ ui }) => {
    ui.simulator.dashboard.create({ ...ORDERS, name: "x".repeat(100), secret: "s" });
    await send(ui.simulator, "create", { ...REFUNDS, enabled: "false" });
    await send(ui.simulator, "update", { webhook_id: "1", ...ORDERS, enabled: "true" });
    ui.simulator.inject({ fault: { kind: "status", status: 503, retryAfter: "1" } });
    await send(ui.simulator, "update", { webhook_id: "1", ...ORDERS, enabled: "true" });
    ui.simulator.inject({ times: 3, operation: "delete", fault: { kind: "status", status: 418 } });
    await ui.toggle("Unavailable (503, Retry-After: 1)").click();
    await ui.page.getByText("every request").waitFor();
    await ui.button("Show all options").click();
    for (const width of [360, 780, 1280, 1600]) {
      await ui.page.setViewportSize({ width, height: 900 });
      expect({ width, ...(await ui.page.evaluate(findBrokenLabels)) }).toEqual({
        width,
        looked: expect.toSatisfy((count: number) => count > 150),
        broken: [],
      });
      await ui.button("New webhook").click();
      await ui.button("Create").click();
      await ui.alert("The url field must not be empty.").waitFor();
      expect(await ui.page.evaluate(findBrokenLabels)).toMatchObject({ broken: [] });
      await ui.button("Cancel").click();
    }
  });

  test("makes every target at least 24 pixels large, and 32 on a phone", async ({ ui }) => {
    ui.simulator.dashboard.create({ ...ORDERS, secret: "whsec-canary" });
    await send(ui.simulator, "update", { webhook_id: "1" });
    const check = async (least: number) => {
      await ui.requests.getByText("200 OK").waitFor();
      await ui.button("Show all options").click();
      const page = await ui.page.evaluate(findSmallTargets, least);
      expect(page).toEqual({ looked: expect.toSatisfy((count: number) => count > 35), small: [] });
      await ui.button("New webhook").click();
      expect(await ui.page.evaluate(findSmallTargets, least)).toMatchObject({ small: [] });
      await ui.button("Cancel").click();
    };
    await check(24);
    await ui.open({ viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    await check(32);
  });

  test("shows the value of an option below its label, on any screen", async ({ ui }) => {
    await ui.button("Show all options").click();
    const labels = ui.page.locator(".options label");
    for (const width of [390, 780, 1280, 1600]) {
      await ui.page.setViewportSize({ width, height: 900 });
      const gaps = await labels.evaluateAll((all) =>
        all.map((label) => {
          const [text, key, control] = [...label.children].map((child) => child.getBoundingClientRect());
          return (control?.top ?? 0) - Math.max(text?.bottom ?? Infinity, key?.bottom ?? Infinity);
        }),
      );
      expect(gaps).toHaveLength(13);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    }
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

  test("shows the focus in both color schemes", async ({ ui }) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await ui.page.emulateMedia({ colorScheme });
      await ui.page.keyboard.press("Tab");
      const outline = await ui.page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
        return [outlineStyle, outlineWidth];
      });
      expect(outline).toEqual(["solid", "2px"]);
    }
  });

  test("has no horizontal scroll bar on a phone, however long a name and a URL", async ({ ui }) => {
    const long = "x".repeat(500);
    await send(ui.simulator, "create", { url: `https://example.com/${long}`, name: long, [long]: long });
    await send(ui.simulator, "create", {
      url: ORDERS.url,
      name: "\u{645}\u{631}\u{62d}\u{628}\u{627} ".repeat(40),
    });
    ui.simulator.inject({
      fault: { kind: "redirect", to: "http://127.0.0.1/" },
      match: () => false,
      skip: 1,
    });
    await ui.open({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    await ui.webhook(long).waitFor();
    await ui.toggle("Too many requests (429, Retry-After: 1)").tap();
    await ui.page.getByText("every request").waitFor();
    const overflow = () => ui.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(await overflow()).toBe(0);
    await ui.page.getByRole("button", { name: `Delete ${long}` }).tap();
    await ui.dialog.waitFor();
    expect(await overflow()).toBe(0);
    const box = await ui.dialog.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
  });

  test("lets another site neither read the state nor change a webhook", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    const other = await startSimulator();
    const visitor = await ui.page.context().newPage();
    await visitor.goto(`${other.url}/nothing`);
    const outcome = await visitor.evaluate(async (target) => {
      const attempt = (path: string, init: RequestInit) =>
        fetch(target + path, init).then(
          ({ type, status }) => `${type} ${status}`,
          () => "refused",
        );
      const body = JSON.stringify({ webhook_id: "1" });
      const json = { "content-type": "application/json" };
      return [
        await attempt("@ui/events", {}),
        await attempt("@ui/delete", { method: "POST", headers: json, body }),
        await attempt("@ui/delete", { method: "POST", mode: "no-cors", body }),
      ];
    }, ui.simulator.pageUrl);
    expect(outcome).toEqual(["refused", "refused", "refused"]);
    expect(ui.simulator.webhooks).toHaveLength(1);
    await visitor.close();
    await other.close();
  });
});
