/// <reference lib="dom" />

import { describe, expect } from "vitest";
import { test } from "./browser.js";
import { send } from "./send.js";

const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders" };
const REFUNDS = { url: "https://example.com/hooks/refunds", name: "Refunds", secret: "whsec-canary-0815" };
const LIMIT = "Requests per second, and at once, before a 429";

/** Finds the visible targets with a side of fewer pixels. The label of a checkbox belongs to its target. */
function findSmallTargets(least: number): string[] {
  return [...document.querySelectorAll("a, button, input, select, summary")]
    .map((element) => element.closest("label:has([type=checkbox])") ?? element)
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

  test("creates a webhook after a mistake, and deletes it after a confirmation", async ({ ui }) => {
    await ui.button("New webhook").click();
    await ui.page.getByLabel("Name").fill("Refunds");
    await ui.page.getByLabel("Secret").fill(REFUNDS.secret);
    await ui.button("Create").click();
    await ui.alert("The url field must not be empty.").waitFor();
    expect(await ui.isFocused(ui.button("Create"))).toBe(true);
    await ui.page.getByLabel("URL").fill(REFUNDS.url);
    await ui.button("Create").click();
    await ui.webhook("Refunds").waitFor();
    expect(ui.simulator.webhooks).toMatchObject([{ ...REFUNDS, enabled: true }]);
    expect(await ui.page.content()).not.toContain("canary");
    await ui.button("Delete Refunds").click();
    await ui.dialog.getByText("Refunds (id 1) cannot be restored.").waitFor();
    expect(await ui.isFocused(ui.button("Cancel"))).toBe(true);
    await ui.button("Cancel").click();
    await ui.until(() => ui.dialog.count()).toBe(0);
    expect(ui.simulator.webhooks).toHaveLength(1);
    await ui.button("Delete Refunds").click();
    await ui.dialog.getByRole("button", { name: "Delete" }).click();
    await ui.until(() => ui.isFocused(ui.button("New webhook"))).toBe(true);
    expect(ui.simulator.webhooks).toEqual([]);
  });

  test("edits what the person changed only, and keeps the input if the webhook is gone", async ({ ui }) => {
    ui.simulator.dashboard.create(REFUNDS);
    await ui.button("Edit Refunds").click();
    await ui.page.getByLabel("Name").fill("Refunds of the EU");
    ui.simulator.dashboard.edit("1", { url: "https://example.com/moved" });
    await ui.webhook("https://example.com/moved").waitFor({ state: "attached" });
    await ui.button("Save").click();
    await ui.webhook("Refunds of the EU").waitFor();
    const merged = { ...REFUNDS, name: "Refunds of the EU", url: "https://example.com/moved", enabled: true };
    expect(ui.simulator.webhooks).toMatchObject([merged]);
    await ui.button("Edit Refunds of the EU").click();
    await ui.page.getByLabel("Name").fill("Mine");
    ui.simulator.dashboard.delete("1");
    await ui.until(() => ui.rows("Webhooks").count()).toBe(0);
    await ui.button("Save").click();
    await ui.alert("Webhook not found.").waitFor();
    expect(await ui.page.getByLabel("Name").inputValue()).toBe("Mine");
  });

  test("enables and disables a webhook, and shows why an action failed", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    const toggle = ui.toggle("Enabled: Orders");
    await ui.page.route("**/webhooks/1", (route) =>
      route.fulfill({ status: 500, json: { message: "Failed." } }),
    );
    await toggle.click();
    await ui.alert("Failed.").waitFor();
    expect(await toggle.isChecked()).toBe(true);
    await ui.page.unroute("**/webhooks/1");
    await toggle.click();
    await ui.until(() => toggle.isChecked()).toBe(false);
    expect(ui.simulator.webhooks).toMatchObject([{ enabled: false }]);
    expect(await ui.alert("Failed.").count()).toBe(0);
  });

  test("keeps the input and the focus when webhooks come and go", async ({ ui }) => {
    for (const webhook of [ORDERS, REFUNDS]) ui.simulator.dashboard.create(webhook);
    await ui.button("Edit Refunds").focus();
    ui.simulator.dashboard.create({ name: "Third" });
    ui.simulator.dashboard.delete("1");
    await ui.webhook("Third").waitFor();
    await ui.until(() => ui.webhook("Orders").count()).toBe(0);
    expect(await ui.isFocused(ui.button("Edit Refunds"))).toBe(true);
    ui.simulator.dashboard.delete("2");
    await ui.until(() => ui.isFocused(ui.button("Edit Third"))).toBe(true);
    const limit = ui.page.getByLabel(LIMIT);
    await limit.pressSequentially("5:1");
    ui.simulator.behavior.idType = "string";
    await ui.until(() => ui.page.getByLabel("How replies write an id").inputValue()).toBe("string");
    await limit.pressSequentially("0");
    expect(await limit.inputValue()).toBe("5:10");
  });

  test("works with the keyboard alone, and shows the focus", async ({ ui }) => {
    const press = async (...keys: string[]) => {
      for (const key of keys) await ui.page.keyboard.press(key);
    };
    await ui.button("New webhook").focus();
    await press("Enter");
    await ui.dialog.waitFor();
    await ui.page.keyboard.type(ORDERS.url);
    await press("Tab");
    await ui.page.keyboard.type("Orders");
    await press("Tab", "Tab", "Space", "Enter");
    await ui.webhook("Orders").waitFor();
    await ui.until(() => ui.isFocused(ui.button("New webhook"))).toBe(true);
    expect(ui.simulator.webhooks).toMatchObject([{ ...ORDERS, enabled: false }]);
    await press("Tab", "Space");
    await ui.until(() => ui.simulator.webhooks[0]?.enabled).toBe(true);
    await press("Tab", "Enter");
    await ui.dialog.waitFor();
    await press("Escape");
    await ui.until(() => ui.isFocused(ui.button("Edit Orders"))).toBe(true);
    const look = (element: Element) => getComputedStyle(element).outlineStyle;
    expect(await ui.button("Edit Orders").evaluate(look)).toBe("solid");
    expect(await ui.button("Add fault").evaluate(look)).toBe("none");
    await press("Tab", "Enter");
    await ui.dialog.waitFor();
    await press("Tab", "Enter");
    await ui.until(() => ui.simulator.webhooks).toEqual([]);
  });

  test("adds faults from lists and as text, shows them until they end, and removes them", async ({ ui }) => {
    await ui.page.getByLabel("Which requests").selectOption("creates");
    await ui.page.getByLabel("Fault", { exact: true }).selectOption("reset after commit");
    await ui.button("Add fault").click();
    const fault = ui.rows("Faults", "create: reset after commit");
    await fault.waitFor();
    await expect(send(ui.simulator, "create", ORDERS)).rejects.toThrow();
    await ui.until(() => fault.count()).toBe(0);
    await ui.page.getByText("Write a fault").click();
    const text = ui.page.getByLabel("Fault as text");
    await text.fill("update: hangs");
    await text.press("Enter");
    await ui.alert('Unknown fault "hangs"').waitFor();
    await text.fill("status 500, always");
    await text.press("Enter");
    await ui.button("Remove fault: status 500, always").click();
    await ui.until(() => ui.rows("Faults").count()).toBe(0);
  });

  test("changes the behavior, and shows why a value was refused, and a program's changes", async ({ ui }) => {
    ui.simulator.behavior.idPlace = "none";
    const idPlace = ui.page.getByLabel("Where the reply to a create holds the id");
    await ui.until(() => idPlace.inputValue()).toBe("none");
    await idPlace.selectOption("id");
    await ui.until(() => ui.simulator.behavior.idPlace).toBe("id");
    const limit = ui.page.getByLabel(LIMIT);
    await limit.fill("5");
    await limit.press("Enter");
    await ui.alert("expected PER_SECOND:BURST").waitFor();
    await limit.fill("5:10");
    await limit.press("Enter");
    await ui.until(() => ui.simulator.behavior.rateLimit?.burst).toBe(10);
  });

  test("works without JavaScript", async ({ ui }) => {
    await ui.open({ javaScriptEnabled: false });
    await ui.button("New webhook").click();
    await ui.page.getByLabel("URL").fill(ORDERS.url);
    await ui.page.getByLabel("Name").fill("Orders");
    await ui.page.getByLabel("Name").press("Enter");
    await ui.toggle("Enabled: Orders").click();
    await ui.until(() => ui.toggle("Enabled: Orders").isChecked()).toBe(false);
    expect(ui.simulator.webhooks).toMatchObject([{ ...ORDERS, enabled: false }]);
    await ui.button("Edit Orders").click();
    await ui.page.getByLabel("Name").fill("");
    await ui.button("Save").click();
    await ui.alert("The name field must not be empty.").waitFor();
    await ui.page.getByLabel("Fault", { exact: true }).selectOption("status 500");
    await ui.button("Add fault").click();
    await ui.rows("Faults", "status 500").waitFor();
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
    ui.simulator.inject(`redirect to=${ORDERS.url}${"/x".repeat(200)}, always, after 1`);
    for (const width of [360, 780, 1280, 1600]) {
      const isPhone = width === 360;
      await ui.open({ viewport: { width, height: 740 }, isMobile: isPhone, hasTouch: isPhone });
      expect(await ui.webhook(name).getByRole("heading").innerText()).toBe(name);
      for (const open of [`Delete ${name}`, "New webhook"]) {
        expect(await ui.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        await ui.button(open).click();
        await ui.dialog.waitFor();
        const { x = 0, width: size = Infinity } = (await ui.dialog.boundingBox()) ?? {};
        expect(x + size).toBeLessThanOrEqual(width);
        expect(await ui.page.evaluate(findSmallTargets, isPhone ? 32 : 24)).toEqual([]);
        await ui.button("Cancel").click();
      }
    }
    expect(await ui.page.evaluate(findSmallTargets, 1000)).not.toEqual([]);
    expect(await ui.page.title()).toBe("Webhook API simulator");
    expect(await ui.page.locator("main :is(img, script), a[href^=javascript]").count()).toBe(0);
  });
});
