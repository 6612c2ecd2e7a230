/// <reference lib="dom" />

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { test } from "./browser.js";
import { declare, provider } from "./declare.js";
import { send } from "./send.js";

const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders" };
const REFUNDS = { url: "https://example.com/hooks/refunds", name: "Refunds", secret: "whsec-canary-0815" };
const LIMIT = "Requests per second, and at once, before a 429";
const WIDTHS = [390, 780, 1280, 1600];

/** Returns the characters of an element that lie within it: neither cut off nor behind an ellipsis. */
function visibleText(element: Element) {
  const { left, right } = element.getBoundingClientRect();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const range = document.createRange();
    for (const [index, character] of [...(node.textContent ?? "")].entries()) {
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const box = range.getBoundingClientRect();
      if (box.left >= left - 1 && box.right <= right + 1) text += character;
    }
  }
  return text;
}

describe.concurrent("the UI", () => {
  test("lists the webhooks, and says if there are none", async ({ ui }) => {
    await ui.page.getByText("No webhooks yet. Run pulumi up").waitFor();
    await ui.page.getByText("No requests yet.").waitFor();
    ui.simulator.dashboard.create({ ...ORDERS, enabled: false });
    ui.simulator.dashboard.create(REFUNDS);
    await ui.webhook("Refunds").waitFor();
    expect(await ui.webhooks.count()).toBe(2);
    expect(await ui.webhook("Orders").innerText()).toMatch(
      /https:\/\/example.com\/hooks\/orders\s+id 1\s+no secret/,
    );
    expect(await ui.webhook("Refunds").innerText()).toContain("has a secret");
    expect(await ui.toggle("Enabled: Orders").getAttribute("aria-checked")).toBe("false");
    expect(await ui.toggle("Enabled: Refunds").getAttribute("aria-checked")).toBe("true");
    expect(await ui.page.content()).not.toContain("canary");
  });

  test("shows the provider's changes without a reload, and announces them to a screen reader", async ({
    ui,
  }) => {
    await ui.page.evaluate(() => document.body.setAttribute("data-loaded", "once"));
    const { id, outs = {} } = await declare(ui.simulator, REFUNDS);
    await ui.webhook("Refunds").waitFor();
    await ui.page
      .getByRole("status")
      .filter({ hasText: "Webhook Refunds was created." })
      .waitFor({ state: "attached" });
    expect((await ui.requests.innerText()).split(/\s+/).slice(1)).toEqual([
      "create",
      "201",
      "Created",
      expect.stringMatching(/^\d+$/),
      "ms",
      "Reply",
      "url",
      REFUNDS.url,
      "name",
      "Refunds",
      "secret",
      "[secret]",
      "enabled",
      "true",
    ]);
    await provider(ui.simulator).delete(id, outs);
    await ui.until(() => ui.webhooks.count()).toBe(0);
    expect(await ui.requests.first().innerText()).toMatch(
      /delete\s+200 OK\s+\d+ ms\s+Reply\s+webhook_id\s+1/,
    );
    expect(await ui.page.locator("body").getAttribute("data-loaded")).toBe("once");
  });

  test("creates a webhook, and shows the API's message for an invalid field", async ({ ui }) => {
    await ui.button("New webhook").click();
    await ui.page.getByLabel("Name").fill("Refunds");
    await ui.page.getByLabel("Secret").fill("whsec-canary-0815");
    await ui.button("Create").click();
    await ui.alert("The url field must not be empty.").waitFor();
    const url = ui.page.getByLabel("URL");
    expect(await url.getAttribute("aria-invalid")).toBe("true");
    expect(await url.getAttribute("aria-describedby")).toBe(
      await ui.alert("The url field must not be empty.").getAttribute("id"),
    );
    expect(await ui.isFocused(ui.button("Create"))).toBe(true);
    expect(ui.simulator.webhooks).toEqual([]);
    expect(await ui.page.getByLabel("Secret").inputValue()).toBe("whsec-canary-0815");
    await url.fill(REFUNDS.url);
    expect(await url.getAttribute("aria-invalid")).toBe("false");
    expect(await ui.alert("must not be empty").count()).toBe(0);
    await ui.button("Create").click();
    await ui.webhook("Refunds").waitFor();
    await ui.dialog.waitFor({ state: "hidden" });
    expect(ui.simulator.webhooks).toMatchObject([{ ...REFUNDS, enabled: true }]);
    expect(ui.simulator.calls).toEqual([]);
    await ui.until(() => ui.page.getByLabel("Secret").inputValue()).toBe("");
  });

  test("edits only the fields that the person changed, so that other changes are kept", async ({ ui }) => {
    ui.simulator.dashboard.create(REFUNDS);
    await ui.button("Edit Refunds").click();
    expect(await ui.page.getByLabel("Secret").isVisible()).toBe(false);
    await ui.page.getByLabel("Name").fill("Refunds of the EU");
    ui.simulator.dashboard.edit("1", { url: "https://example.com/moved" });
    await ui.webhook("https://example.com/moved").waitFor({ state: "attached" });
    await ui.button("Save").click();
    await ui.webhook("Refunds of the EU").waitFor();
    expect(ui.simulator.webhooks).toMatchObject([
      { name: "Refunds of the EU", url: "https://example.com/moved", secret: REFUNDS.secret },
    ]);
  });

  test("disables and enables a webhook", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    await ui.toggle("Enabled: Orders").click();
    await ui.until(() => ui.toggle("Enabled: Orders").getAttribute("aria-checked")).toBe("false");
    expect(ui.simulator.webhooks).toMatchObject([{ enabled: false }]);
    await ui.toggle("Enabled: Orders").click();
    await ui.until(() => ui.simulator.webhooks).toMatchObject([{ enabled: true }]);
  });

  test("deletes a webhook after the person confirms", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    await ui.button("Delete Orders").click();
    await ui.dialog.getByText("Orders (id 1) cannot be restored.").waitFor();
    expect(await ui.isFocused(ui.dialog.getByRole("button", { name: "Cancel" }))).toBe(true);
    await ui.dialog.getByRole("button", { name: "Cancel" }).click();
    await ui.dialog.waitFor({ state: "hidden" });
    expect(ui.simulator.webhooks).toHaveLength(1);
    await ui.button("Delete Orders").click();
    await ui.dialog.getByRole("button", { name: "Delete" }).click();
    await ui.until(() => ui.webhooks.count()).toBe(0);
    expect(ui.simulator.webhooks).toEqual([]);
  });

  test("shows the error of a failed action until the next action", async ({ ui }) => {
    const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-ui-"));
    const data = join(folder, "webhooks.json");
    await ui.close();
    await ui.start({ data });
    ui.simulator.dashboard.create(ORDERS);
    await ui.open();
    await ui.page.getByText(`webhooks in ${data}`).waitFor();
    const text = await readFile(data, "utf8");
    await writeFile(data, `${text}\n`);
    await ui.toggle("Enabled: Orders").click();
    const problem = ui.alert(`Something else changed ${data}`);
    await problem.waitFor();
    expect(await ui.toggle("Enabled: Orders").getAttribute("aria-checked")).toBe("true");
    await writeFile(data, text);
    await ui.toggle("Enabled: Orders").click();
    await ui.until(() => ui.toggle("Enabled: Orders").getAttribute("aria-checked")).toBe("false");
    expect(await problem.count()).toBe(0);
    await rm(folder, { recursive: true });
  });

  test("keeps the input, and shows the error, if the webhook in the form was deleted in the meantime", async ({
    ui,
  }) => {
    ui.simulator.dashboard.create(ORDERS);
    await ui.button("Edit Orders").click();
    await ui.page.getByLabel("Name").fill("Mine");
    ui.simulator.dashboard.delete("1");
    await ui.until(() => ui.webhook("Orders").count()).toBe(0);
    await ui.button("Save").click();
    await ui.alert("Webhook not found.").waitFor();
    expect(await ui.page.getByLabel("Name").inputValue()).toBe("Mine");
  });

  test("keeps the input and the focus when webhooks come and go", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    ui.simulator.dashboard.create({ name: "Refunds" });
    await ui.button("Edit Refunds").focus();
    ui.simulator.dashboard.create({ name: "Third" });
    ui.simulator.dashboard.delete("1");
    await ui.webhook("Third").waitFor();
    await ui.until(() => ui.webhook("Orders").count()).toBe(0);
    expect(await ui.isFocused(ui.button("Edit Refunds"))).toBe(true);

    await ui.button("Show all options").click();
    const limit = ui.page.getByLabel(LIMIT);
    await limit.pressSequentially("5:1");
    ui.simulator.behaviour.idType = "string";
    await declare(ui.simulator, { ...ORDERS, name: "Fourth" });
    await ui.webhook("Fourth").waitFor();
    await limit.pressSequentially("0");
    expect(await limit.inputValue()).toBe("5:10");

    const name = ui.page.getByLabel("Name");
    await ui.button("New webhook").click();
    await name.pressSequentially("Ty");
    ui.simulator.dashboard.create({ name: "Fifth" });
    await ui.webhook("Fifth").waitFor({ state: "attached" });
    await name.pressSequentially("ping");
    expect(await name.inputValue()).toBe("Typing");
  });

  test("moves the focus to the nearest element when the focused webhook is deleted", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    ui.simulator.dashboard.create(REFUNDS);
    await ui.button("Edit Orders").focus();
    ui.simulator.dashboard.delete("1");
    await ui.until(() => ui.isFocused(ui.button("Edit Refunds"))).toBe(true);
    ui.simulator.dashboard.delete("2");
    await ui.until(() => ui.isFocused(ui.button("New webhook"))).toBe(true);
  });

  test("works with the keyboard alone", async ({ ui }) => {
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

    await press("Tab");
    expect(await ui.isFocused(ui.toggle("Enabled: Orders"))).toBe(true);
    await press("Space");
    await ui.until(() => ui.simulator.webhooks[0]?.enabled).toBe(true);
    await press("Tab");
    expect(await ui.isFocused(ui.button("Copy id 1"))).toBe(true);
    await press("Tab", "Enter");
    await ui.dialog.waitFor();
    await press("Escape");
    await ui.until(() => ui.isFocused(ui.button("Edit Orders"))).toBe(true);
    await press("Tab", "Enter");
    await ui.dialog.waitFor();
    await press("Shift+Tab", "Enter");
    await ui.until(() => ui.simulator.webhooks).toEqual([]);
    await ui.until(() => ui.isFocused(ui.button("New webhook"))).toBe(true);
  });

  test("lists the newest webhook first, in rows of two lines", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    ui.simulator.dashboard.create(REFUNDS);
    await ui.webhook("Refunds").waitFor();
    expect(await ui.webhooks.getByRole("heading").allInnerTexts()).toEqual(["Refunds", "Orders"]);
    const box = await ui.webhook("Orders").boundingBox();
    expect(box?.height).toBeLessThan(60);
  });

  test("shows the end of a long URL and of a long id, and when the webhook changed, on any screen", async ({
    ui,
  }) => {
    const path = `${"teams/payments-and-refunds/production/".repeat(5)}invoice-voided`;
    ui.simulator.behaviour.firstId = "90071992547409931234";
    ui.simulator.behaviour.clockSkewSeconds = -86_400 * 2;
    ui.simulator.dashboard.create({ url: `https://hooks.example.com/${path}`, name: "x".repeat(100) });
    const webhook = ui.webhook("xxx");
    await webhook.waitFor();
    for (const width of WIDTHS) {
      await ui.page.setViewportSize({ width, height: 900 });
      expect(await webhook.locator(".url").evaluate(visibleText)).toMatch(/^[^:]+\/invoice-voided$/);
      expect(await webhook.locator(".id .cut-start").evaluate(visibleText)).toMatch(/31234$/);
      expect(await webhook.locator(".time").evaluate(visibleText)).toMatch(/^changed .+20\d\d, \d\d:\d\d$/);
    }
  });

  test("shows a URL of usual length whole, on any screen", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    const url = ui.webhook("Orders").locator(".url");
    await url.waitFor();
    for (const width of WIDTHS) {
      await ui.page.setViewportSize({ width, height: 900 });
      expect(await url.evaluate(visibleText)).toBe(ORDERS.url);
    }
  });

  test("highlights the webhook that changed, and no other", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    ui.simulator.dashboard.create(REFUNDS);
    await ui.open();
    await ui.webhook("Refunds").waitFor();
    ui.simulator.dashboard.edit("1", { enabled: false });
    const highlighted = ui.page.locator(".webhooks > .changed");
    await ui.until(() => highlighted.getByRole("heading").allInnerTexts()).toEqual(["Orders"]);
  });

  test("has a search from ten webhooks on, by name, URL and id", async ({ ui }) => {
    const search = ui.page.getByRole("searchbox", { name: "Search webhooks" });
    for (let id = 1; id <= 9; id += 1) ui.simulator.dashboard.create({ name: `Webhook ${id}` });
    await ui.until(() => ui.webhooks.count()).toBe(9);
    expect(await search.isVisible()).toBe(false);
    ui.simulator.dashboard.create(ORDERS);
    await search.fill("ORD");
    await ui.until(() => ui.webhooks.getByRole("heading").allInnerTexts()).toEqual(["Orders"]);
    await search.fill("hooks/orders");
    await ui.until(() => ui.webhooks.count()).toBe(1);
    await search.fill("10");
    await ui.until(() => ui.webhooks.getByRole("heading").allInnerTexts()).toEqual(["Orders"]);
    await search.fill("nothing");
    await ui.page.getByText("No webhook matches.").waitFor();
    ui.simulator.dashboard.delete("10");
    await search.fill("");
    await ui.until(() => ui.webhooks.count()).toBe(9);
  });

  test("copies the id of a webhook and of a request", async ({ ui }) => {
    ui.simulator.behaviour.firstId = "90071992547409931234";
    ui.simulator.dashboard.create(ORDERS);
    await ui.button("Copy id 90071992547409931234").click();
    await ui.page.getByRole("status").filter({ hasText: "Copied 90071992547409931234." }).waitFor();
    expect(await ui.page.evaluate(() => navigator.clipboard.readText())).toBe("90071992547409931234");
    // In the same test, since all tabs share the clipboard.
    await send(ui.simulator, "update", { webhook_id: "4711" });
    await ui.requests.getByRole("button", { name: "Copy id 4711" }).click();
    await ui.page.getByRole("status").filter({ hasText: "Copied 4711." }).waitFor();
    expect(await ui.page.evaluate(() => navigator.clipboard.readText())).toBe("4711");
  });

  test("shows a long name and URL whole under the pointer", async ({ ui }) => {
    const name = `Orders ${"of the shop ".repeat(20)}`.trim();
    ui.simulator.dashboard.create({ name, url: `${ORDERS.url}?token=canary` });
    const webhook = ui.webhook("Orders");
    await webhook.getByTitle(name).waitFor();
    await webhook.getByTitle(`${ORDERS.url}?[query]`).waitFor();
  });

  test("hides the query of a URL in both lists, and shows it in the form", async ({ ui }) => {
    const url = "https://example.com/hooks?token=canary";
    await send(ui.simulator, "create", { ...ORDERS, url });
    await ui.webhook("https://example.com/hooks?[query]").waitFor();
    await ui.requests.getByText("https://example.com/hooks?[query]").waitFor();
    expect(await ui.page.locator("main").innerText()).not.toContain("canary");
    await ui.button("Edit Orders").click();
    expect(await ui.page.getByLabel("URL").inputValue()).toBe(url);
  });

  test("shows the date of a time that is not today, also after midnight", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    ui.simulator.behaviour.clockSkewSeconds = -86_400 * 2;
    const { updatedAt } = ui.simulator.dashboard.create(REFUNDS);
    // In a context of its own, which has a clock of its own.
    await ui.open({});
    await ui.page.clock.install();
    await ui.page.reload();
    const year = updatedAt.slice(0, 4);
    await ui.until(() => ui.webhook("Refunds").locator("time").innerText()).toContain(year);
    const today = ui.webhook("Orders").locator("time");
    expect(await today.innerText()).toMatch(/^\d\d:\d\d:\d\d$/);
    await ui.page.clock.fastForward("24:00:00");
    await ui.until(() => today.innerText()).toMatch(/20\d\d/);
  });

  test("shows markup in a name as text, and runs none of it", async ({ ui }) => {
    const name = '<img src="x" onerror="document.title=1"><script>document.title=1</script>';
    await send(ui.simulator, "create", { ...ORDERS, name });
    await send(ui.simulator, "create", { url: "javascript:document.title=1", name: "Refunds \u{202e}evil" });
    await ui.webhook("Refunds").waitFor();
    expect(await ui.webhook(name).getByRole("heading").innerText()).toBe(name);
    expect(await ui.requests.last().innerText()).toContain(name);
    expect(await ui.webhook("Refunds").getByRole("heading").innerText()).toBe("Refunds \u{fffd}evil");
    await ui.page.getByRole("button", { name: `Delete ${name}` }).click();
    await ui.dialog.getByText(name).waitFor();
    expect(await ui.page.title()).toBe("Webhook API simulator");
    expect(await ui.page.locator("main img, main script, main a[href^=javascript]").count()).toBe(0);
  });
});
