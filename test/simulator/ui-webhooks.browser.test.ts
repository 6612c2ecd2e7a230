/// <reference lib="dom" />

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { LIMIT, ORDERS, REFUNDS, test } from "./browser.js";
import { send } from "./send.js";

const UTC = "20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC";

describe.concurrent("the UI", () => {
  test("lists the webhooks, the newest first, and says if there are none", async ({ ui }) => {
    await ui.page.getByText("No webhooks yet. Run pulumi up").waitFor();
    await ui.page.getByText("No requests yet.").waitFor();
    ui.simulator.dashboard.create({ ...ORDERS, url: `${ORDERS.url}?tenant=eu`, enabled: false });
    ui.simulator.dashboard.create(REFUNDS);
    await ui.webhook("Refunds").waitFor();
    expect(await ui.webhooks.getByRole("heading").allInnerTexts()).toEqual(["Refunds", "Orders"]);
    expect((await ui.webhook("Orders").innerText()).replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(`${ORDERS.url}\\?tenant=eu id 1 no secret created ${UTC} changed ${UTC}$`),
    );
    expect(await ui.webhook("Refunds").innerText()).toContain("has a secret");
    expect(await ui.toggle("Enabled: Orders").isChecked()).toBe(false);
    expect(await ui.toggle("Enabled: Refunds").isChecked()).toBe(true);
    expect(await ui.page.content()).not.toContain("canary");
  });

  test("shows the changes of a client without a reload, and lets a screen reader read them", async ({
    ui,
  }) => {
    await ui.page.evaluate(() => document.body.setAttribute("data-loaded", "once"));
    await send(ui.simulator, "create", { ...REFUNDS, enabled: "true" });
    await ui.webhook("Refunds").waitFor();
    expect(await ui.webhook("Refunds").locator("..").getAttribute("aria-live")).toBe("polite");
    await ui.requests.getByText("201 Created").waitFor();
    const fields = `url ${REFUNDS.url} name Refunds secret \\[secret\\] enabled true`;
    expect((await ui.requests.innerText()).replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(`^create 201 Created \\d+ ms ${UTC} ${fields} Reply$`),
    );
    await send(ui.simulator, "delete", { webhook_id: "1" });
    await ui.until(() => ui.webhooks.count()).toBe(0);
    await ui.requests.getByText("delete", { exact: true }).waitFor();
    expect(await ui.page.locator("body").getAttribute("data-loaded")).toBe("once");
  });

  test("creates a webhook, and shows the API's message for an invalid field", async ({ ui }) => {
    await ui.button("New webhook").click();
    await ui.page.getByLabel("Name").fill("Refunds");
    await ui.page.getByLabel("Secret").fill(REFUNDS.secret);
    await ui.button("Create").click();
    await ui.alert("The url field must not be empty.").waitFor();
    expect(await ui.isFocused(ui.button("Create"))).toBe(true);
    expect(ui.simulator.webhooks).toEqual([]);
    await ui.page.getByLabel("URL").fill(REFUNDS.url);
    await ui.button("Create").click();
    await ui.webhook("Refunds").waitFor();
    await ui.until(() => ui.dialog.count()).toBe(0);
    expect(ui.simulator.webhooks).toMatchObject([{ ...REFUNDS, enabled: true }]);
    expect(ui.simulator.calls).toEqual([]);
    // The secret does not stay in the browser.
    await ui.button("New webhook").click();
    expect(await ui.page.getByLabel("Secret").inputValue()).toBe("");
  });

  test("edits only the fields that the person changed, and keeps other changes", async ({ ui }) => {
    ui.simulator.dashboard.create(REFUNDS);
    await ui.button("Edit Refunds").click();
    expect(await ui.page.getByLabel("Secret").count()).toBe(0);
    await ui.page.getByLabel("Name").fill("Refunds of the EU");
    ui.simulator.dashboard.edit("1", { url: "https://example.com/moved" });
    await ui.webhook("https://example.com/moved").waitFor({ state: "attached" });
    await ui.button("Save").click();
    await ui.webhook("Refunds of the EU").waitFor();
    const merged = { name: "Refunds of the EU", url: "https://example.com/moved", secret: REFUNDS.secret };
    expect(ui.simulator.webhooks).toMatchObject([merged]);
  });

  test("deletes a webhook after the person confirms", async ({ ui }) => {
    ui.simulator.dashboard.create(ORDERS);
    await ui.button("Delete Orders").click();
    await ui.dialog.getByText("Orders (id 1) cannot be restored.").waitFor();
    const cancel = ui.dialog.getByRole("button", { name: "Cancel" });
    expect(await ui.isFocused(cancel)).toBe(true);
    await cancel.click();
    await ui.until(() => ui.dialog.count()).toBe(0);
    expect(ui.simulator.webhooks).toHaveLength(1);
    await ui.button("Delete Orders").click();
    await ui.dialog.getByRole("button", { name: "Delete" }).click();
    await ui.until(() => ui.webhooks.count()).toBe(0);
    expect(ui.simulator.webhooks).toEqual([]);
  });

  test("enables and disables a webhook, and shows the error of an action that fails", async ({ ui }) => {
    const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-ui-"));
    const data = join(folder, "webhooks.json");
    await ui.close();
    await ui.start({ data });
    ui.simulator.dashboard.create(ORDERS);
    await ui.open();
    await ui.page.getByText(`Webhooks in ${data}`).waitFor();
    const text = await readFile(data, "utf8");
    await writeFile(data, `${text}\n`);
    const toggle = ui.toggle("Enabled: Orders");
    await toggle.click();
    const problem = ui.alert(`Something else changed ${data}`);
    await problem.waitFor();
    expect(await toggle.isChecked()).toBe(true);
    await writeFile(data, text);
    await toggle.click();
    await ui.until(() => toggle.isChecked()).toBe(false);
    expect(ui.simulator.webhooks).toMatchObject([{ enabled: false }]);
    expect(await problem.count()).toBe(0);
    await toggle.click();
    await ui.until(() => ui.simulator.webhooks).toMatchObject([{ enabled: true }]);
    await rm(folder, { recursive: true });
  });

  test("keeps the input, and shows the error, if someone deleted the webhook in the form", async ({ ui }) => {
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

    const limit = ui.page.getByLabel(LIMIT);
    await limit.pressSequentially("5:1");
    ui.simulator.behavior.idType = "string";
    await send(ui.simulator, "create", { ...ORDERS, name: "Fourth" });
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

  test("works with the keyboard alone, and shows the focus in both color schemes", async ({ ui }) => {
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
    await press("Tab", "Enter");
    await ui.dialog.waitFor();
    await press("Escape");
    await ui.until(() => ui.isFocused(ui.button("Edit Orders"))).toBe(true);
    for (const colorScheme of ["light", "dark"] as const) {
      await ui.page.emulateMedia({ colorScheme });
      const look = (element: Element) => {
        const { boxShadow, outlineStyle, outlineWidth } = getComputedStyle(element);
        return `${boxShadow} ${outlineStyle} ${outlineWidth}`;
      };
      const focused = await ui.button("Edit Orders").evaluate(look);
      expect(focused).not.toBe(await ui.button("Add fault").evaluate(look));
    }
    await press("Tab", "Enter");
    await ui.dialog.waitFor();
    await press("Tab", "Enter");
    await ui.until(() => ui.simulator.webhooks).toEqual([]);
    await ui.until(() => ui.isFocused(ui.button("New webhook"))).toBe(true);
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
