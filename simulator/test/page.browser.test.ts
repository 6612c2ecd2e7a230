/// <reference lib="dom" />
import type { Locator } from "playwright-core";
import { describe, expect } from "vitest";
import { test } from "./browser.js";
import { send } from "./send.js";

const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders" };
const REFUNDS = { url: "https://example.com/hooks/refunds", name: "Refunds", secret: "whsec-canary-0815" };
const LIMIT = "Requests per second, and at once, before a 429";

/** Finds the visible targets with a side of fewer pixels. */
function findSmallTargets(least: number): string[] {
  return [...document.querySelectorAll("a, button, input, select, summary")]
    .filter((element) => element.checkVisibility())
    .map((element) => ({ text: element.outerHTML.slice(0, 80), box: element.getBoundingClientRect() }))
    .filter(({ box }) => Math.min(box.width, box.height) < least)
    .map(({ text }) => text);
}

describe.concurrent("the page in a browser", () => {
  test("shows changes without a reload, also to a screen reader, and keeps open replies", async ({ ui }) => {
    await ui.page.evaluate(() => document.body.setAttribute("data-loaded", "once"));
    await send(ui.simulator, "create", { ...REFUNDS, enabled: "true" });
    await ui.webhook("Refunds").waitFor();
    expect(await ui.webhook("Refunds").locator("..").getAttribute("aria-live")).toBe("polite");
    const reply = ui.rows("Last requests", "create").locator("pre");
    expect(await reply.isVisible()).toBe(false);
    await ui.rows("Last requests").getByText("Reply").click();
    await send(ui.simulator, "delete", { webhook_id: "1" });
    await ui.rows("Last requests", "delete").waitFor();
    expect(await ui.rows("Webhooks").count()).toBe(0);
    expect(await reply.innerText()).toContain('{"data":{"webhook":{"id":1,"name":"Refunds"');
    await ui.button("Clear").click();
    await ui.until(() => ui.rows("Last requests").count()).toBe(0);
    expect(await ui.page.locator("body").getAttribute("data-loaded")).toBe("once");
  });

  test("creates, edits, disables and deletes a webhook with the keyboard alone", async ({ ui }) => {
    const press = async (...keys: string[]) => {
      for (const key of keys) await ui.page.keyboard.press(key);
    };
    const tabTo = async (target: Locator) => {
      const isThere = () => ui.isFocused(target);
      for (let presses = 0; presses < 20 && !(await isThere()); presses++) await press("Tab");
      expect(await isThere()).toBe(true);
    };
    const type = async (field: Locator, text: string) => {
      await tabTo(field);
      await ui.page.keyboard.type(text);
    };
    await ui.summary("New webhook").focus();
    await press("Enter");
    await type(ui.field("URL"), REFUNDS.url);
    await type(ui.field("Name"), "Refunds");
    await type(ui.page.getByLabel("Secret optional"), REFUNDS.secret);
    await press("Enter");
    await ui.webhook("Refunds").waitFor();
    expect(ui.simulator.webhooks).toMatchObject([{ ...REFUNDS, enabled: true }]);
    await ui.until(() => ui.isFocused(ui.summary("New webhook"))).toBe(true);
    expect(await ui.page.getByLabel("Secret optional").inputValue()).toBe("");
    const look = (element: Element) => getComputedStyle(element).outlineStyle;
    expect(await ui.summary("New webhook").evaluate(look)).toBe("solid");
    expect(await ui.button("Add fault").evaluate(look)).toBe("none");

    await tabTo(ui.button("Disable Refunds"));
    await press("Space");
    await ui.until(() => ui.simulator.webhooks[0]?.enabled).toBe(false);
    await ui.button("Enable Refunds").waitFor();
    expect(await ui.isFocused(ui.button("Enable Refunds"))).toBe(true);
    await tabTo(ui.summary("Edit Refunds"));
    await press("Enter");
    await tabTo(ui.webhook("Refunds").getByLabel("Name"));
    await press("End");
    await ui.page.keyboard.type(" of the EU");
    await press("Enter");
    await ui.webhook("Refunds of the EU").waitFor();
    await ui.until(() => ui.isFocused(ui.summary("Edit Refunds of the EU"))).toBe(true);
    await press("Enter");
    await tabTo(ui.button("Delete Refunds of the EU"));
    await press("Enter");
    await ui.until(() => ui.isFocused(ui.summary("New webhook"))).toBe(true);
    expect(ui.simulator.webhooks).toEqual([]);
  });

  test("shows why an action failed, and keeps the input", async ({ ui }) => {
    await ui.summary("New webhook").click();
    await ui.field("Name").fill("Orders");
    await ui.field("URL").fill(ORDERS.url);
    await ui.page.route("**/webhooks", (route) =>
      route.fulfill({ status: 500, json: { message: "Failed." } }),
    );
    await ui.button("Create").click();
    await ui.alert("Failed.").waitFor();
    expect(await ui.field("Name").inputValue()).toBe("Orders");
    await ui.page.unroute("**/webhooks");
    await ui.button("Create").click();
    await ui.webhook("Orders").waitFor();
    expect(await ui.alert("Failed.").count()).toBe(0);
  });

  test("keeps the input and the focus when webhooks come, change and go", async ({ ui }) => {
    for (const webhook of [ORDERS, REFUNDS]) ui.simulator.dashboard.create(webhook);
    await ui.summary("Edit Refunds").click();
    await ui.webhook("Refunds").getByLabel("Name").fill("Mine");
    ui.simulator.dashboard.edit("2", { url: "https://example.com/moved" });
    ui.simulator.dashboard.create({ name: "Third" });
    ui.simulator.dashboard.delete("1");
    await ui.webhook("Third").waitFor();
    await ui.until(() => ui.rows("Webhooks").count()).toBe(2);
    expect(await ui.isFocused(ui.webhook("Refunds").getByLabel("Name"))).toBe(true);
    await ui.page.keyboard.press("Enter");
    await ui.webhook("Mine").waitFor();
    expect(ui.simulator.webhooks).toMatchObject([
      { ...REFUNDS, name: "Mine", url: "https://example.com/moved" },
      { name: "Third" },
    ]);
    ui.simulator.dashboard.delete("2");
    await ui.until(() => ui.isFocused(ui.button("Disable Third"))).toBe(true);
  });

  test("adds a fault, shows it until it ends or is removed, and why one was refused", async ({ ui }) => {
    const text = ui.page.getByLabel("Fault", { exact: true });
    await text.fill("create: reset after commit");
    await ui.button("Add fault").click();
    const fault = ui.rows("Faults", "create: reset after commit");
    await fault.waitFor();
    await expect(send(ui.simulator, "create", ORDERS)).rejects.toThrow();
    await ui.until(() => fault.count()).toBe(0);
    await text.fill("update: hangs");
    await text.press("Enter");
    await ui.alert('Unknown fault "hangs"').waitFor();
    await text.fill("status 500, always");
    await text.press("Enter");
    await ui.button("Remove fault: status 500, always").click();
    await ui.until(() => ui.rows("Faults").count()).toBe(0);
  });

  test("changes the behavior, and shows why a value was refused, and a program's changes", async ({ ui }) => {
    const limit = ui.page.getByLabel(LIMIT);
    await limit.fill("5");
    ui.simulator.behavior.idPlace = "none";
    const idPlace = ui.page.getByLabel("Where the reply to a create holds the id");
    await ui.until(() => idPlace.inputValue()).toBe("none");
    expect(await limit.inputValue()).toBe("5");
    await limit.press("Enter");
    await ui.alert("expected PER_SECOND:BURST").waitFor();
    await limit.fill("5:10");
    await limit.press("Enter");
    await ui.until(() => ui.simulator.behavior.rateLimit?.burst).toBe(10);
    await idPlace.selectOption("id");
    await ui.until(() => ui.simulator.behavior.idPlace).toBe("id");
  });

  test("works without JavaScript", async ({ ui }) => {
    await ui.open({ javaScriptEnabled: false });
    await ui.summary("New webhook").click();
    await ui.field("URL").fill(ORDERS.url);
    await ui.field("Name").fill("Orders");
    await ui.field("Name").press("Enter");
    await ui.button("Disable Orders").click();
    await ui.button("Enable Orders").waitFor();
    expect(ui.simulator.webhooks).toMatchObject([{ ...ORDERS, enabled: false }]);
    expect(ui.simulator.webhooks[0]).not.toHaveProperty("secret");
    await ui.page.getByLabel("Fault", { exact: true }).fill("status 5");
    await ui.button("Add fault").click();
    await ui.alert("status: expected 200 to 599").waitFor();
    await ui.page.getByLabel("How replies write an id").selectOption("string");
    await ui.button("Apply").click();
    await ui.until(() => ui.simulator.behavior.idType).toBe("string");
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
    expect(await ui.rows("Webhooks").count()).toBe(1);
    await ui.page.getByText("Live", { exact: true }).waitFor();
  });

  test("fits on any screen, with targets of 24 pixels, and of 32 on a phone, and runs no foreign markup", async ({
    ui,
  }) => {
    const name = `<img src="x" onerror="document.title=1"><script>document.title=1</script>${"x".repeat(500)}`;
    await send(ui.simulator, "create", { url: `javascript:document.title=1//${name}`, name, [name]: name });
    ui.simulator.inject(`status 503 body=${ORDERS.url}${"/x".repeat(200)}, always, after 1`);
    for (const width of [360, 780, 1280, 1600]) {
      const isPhone = width === 360;
      await ui.open({ viewport: { width, height: 740 }, isMobile: isPhone, hasTouch: isPhone });
      expect(await ui.webhook(name).getByRole("heading").innerText()).toBe(name);
      for (const open of ["New webhook", `Edit ${name}`]) await ui.summary(open).click();
      expect(await ui.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await ui.page.evaluate(findSmallTargets, isPhone ? 32 : 24)).toEqual([]);
    }
    expect(await ui.page.evaluate(findSmallTargets, 1000)).not.toEqual([]);
    expect(await ui.page.title()).toBe("Webhook API simulator");
    expect(await ui.page.locator("main :is(img, script), a[href^=javascript]").count()).toBe(0);
  });
});
