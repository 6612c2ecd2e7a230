/// <reference lib="dom" />
// What is evaluated in the page sees the DOM.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { WebhookProvider } from "../../src/provider.js";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";
import { getChromium } from "./chromium.mjs";

// A browser on a busy machine takes its time; whatever is waited for is waited for by its condition.
vi.setConfig({ testTimeout: 60_000 });
const patience = { timeout: 30_000 };

const KEY = "simulator-key";
const orders = { url: "https://example.com/hooks/orders", name: "Orders" };
const refunds = { url: "https://example.com/hooks/refunds", name: "Refunds", secret: "whsec-canary-0815" };

let browser: Browser;
let context: BrowserContext;
let page: Page;
let simulator: Simulator;
/** What the browser complains of: errors of scripts, and whatever the Content-Security-Policy has stopped. */
let complaints: string[];

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: await getChromium(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  // The first time on a machine it is installed.
}, 600_000);

afterAll(() => browser?.close());

beforeEach(async () => {
  simulator = await startSimulator({ path: "/v1" });
  complaints = [];
  await open();
});

afterEach(async () => {
  await context.close();
  await simulator.close();
  expect(complaints).toEqual([]);
});

/** Opens the page, and waits until it follows the simulator. */
async function open(options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
  await context?.close();
  context = await browser.newContext({ locale: "en-GB", ...options });
  context.setDefaultTimeout(patience.timeout);
  page = await context.newPage();
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    // That an order is refused is no fault of the page.
    const isRefusal = message
      .text()
      .startsWith("Failed to load resource: the server responded with a status of ");
    if (["error", "warning"].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  await page.goto(simulator.pageUrl);
  await page.getByText("Live", { exact: true }).waitFor();
}

const webhooks = () => page.getByRole("list", { name: "Webhooks" }).getByRole("listitem");
const row = (name: string) => webhooks().filter({ hasText: name });
const calls = () => page.getByRole("list", { name: "Last calls" }).locator("> li");
const button = (name: string) => page.getByRole("button", { name, exact: true });
const toggle = (name: string) => page.getByRole("switch", { name, exact: true });
const dialog = () => page.getByRole("dialog");
const until = <Value,>(value: () => Value) => expect.poll(value, patience);

async function isFocused(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === document.activeElement);
}

function provider(): WebhookProvider {
  const made = new WebhookProvider({ warn: () => {}, progress: () => {} });
  const config: Record<string, string> = { "webhooks:apiKey": KEY, "webhooks:baseUrl": simulator.url };
  made.configure({ config: { get: (key) => config[key], require: (key) => config[key] ?? "" } });
  return made;
}

const declare = (fields: object) => provider().create({ __provider: "", enabled: true, ...fields });

function create(fields: object): Promise<Response> {
  return fetch(`${simulator.url}/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
}

describe("the page", () => {
  it("lists what there is, and says what there is not", async () => {
    await page.getByText("There are none. Run pulumi up").waitFor();
    await page.getByText("None yet.").waitFor();
    simulator.dashboard.create({ ...orders, enabled: false });
    simulator.dashboard.create(refunds);
    await row("Refunds").waitFor();
    expect(await webhooks().count()).toBe(2);
    expect(await row("Orders").innerText()).toMatch(
      /https:\/\/example.com\/hooks\/orders\s+id 1\s+no secret/,
    );
    expect(await row("Refunds").innerText()).toContain("has a secret");
    expect(await toggle("Enabled: Orders").getAttribute("aria-checked")).toBe("false");
    expect(await toggle("Enabled: Refunds").getAttribute("aria-checked")).toBe("true");
    expect(await page.content()).not.toContain("canary");
  });

  it("shows what the provider does without a reload, and says it to a screen reader", async () => {
    await page.evaluate(() => document.body.setAttribute("data-loaded", "once"));
    const { id, outs = {} } = await declare(refunds);
    await row("Refunds").waitFor();
    await page
      .getByRole("status")
      .filter({ hasText: "Webhook Refunds is new." })
      .waitFor({ state: "attached" });
    expect((await calls().innerText()).split(/\s+/).slice(1)).toEqual([
      "create",
      "201",
      "Created",
      "url",
      refunds.url,
      "name",
      "Refunds",
      "secret",
      "[secret]",
      "enabled",
      "true",
    ]);
    await provider().delete(id, outs);
    await until(() => webhooks().count()).toBe(0);
    expect(await calls().first().innerText()).toMatch(/delete\s+200 OK\s+webhook_id\s+1/);
    expect(await page.locator("body").getAttribute("data-loaded")).toBe("once");
  });

  it("shows the last calls, all of them on demand, and forgets them", async () => {
    for (let index = 0; index < 12; index += 1) await create({ ...orders, name: `Orders ${index}` });
    await until(() => calls().first().innerText()).toContain("Orders 11");
    expect(await calls().count()).toBe(8);
    await button("Show all 12").click();
    await until(() => calls().count()).toBe(12);
    await button("Clear").click();
    await until(() => calls().count()).toBe(0);
    expect(simulator.calls).toEqual([]);
  });

  it("finds the simulator again when that was started anew, with what it has then", async () => {
    simulator.dashboard.create(orders);
    await row("Orders").waitFor();
    const port = Number(new URL(simulator.pageUrl).port);
    await simulator.close();
    await page.getByText("The simulator cannot be reached. Trying again").waitFor();
    simulator = await startSimulator({ port });
    simulator.dashboard.create(refunds);
    await row("Refunds").waitFor();
    expect(await webhooks().count()).toBe(1);
    await page.getByText("Live", { exact: true }).waitFor();
    // What the browser says of a server that is not there.
    complaints = complaints.filter(
      (text) => !/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING)/.test(text),
    );
  });
});

describe("as the dashboard would, the page", () => {
  it("creates a webhook, and shows the API's words for what is wrong", async () => {
    await button("New webhook").click();
    await page.getByLabel("Name").fill("Refunds");
    await page.getByLabel("Secret").fill("whsec-canary-0815");
    await button("Create").click();
    await page.getByRole("alert").filter({ hasText: "The url field must not be empty." }).waitFor();
    expect(await isFocused(button("Create"))).toBe(true);
    expect(simulator.webhooks).toEqual([]);
    expect(await page.getByLabel("Secret").inputValue()).toBe("whsec-canary-0815");
    await page.getByLabel("URL").fill(refunds.url);
    await button("Create").click();
    await row("Refunds").waitFor();
    await dialog().waitFor({ state: "hidden" });
    expect(simulator.webhooks).toMatchObject([{ ...refunds, enabled: true }]);
    expect(simulator.calls).toEqual([]);
    expect(await page.getByLabel("Secret").inputValue()).toBe("");
  });

  it("edits a webhook: only what was changed, so that another change of meanwhile stays", async () => {
    simulator.dashboard.create(refunds);
    await button("Edit Refunds").click();
    expect(await page.getByLabel("Secret").isVisible()).toBe(false);
    await page.getByLabel("Name").fill("Refunds of the EU");
    simulator.dashboard.edit("1", { url: "https://example.com/moved" });
    await dialog().getByText("It was changed meanwhile, to: Refunds, https://example.com/moved").waitFor();
    await button("Save").click();
    await row("Refunds of the EU").waitFor();
    expect(simulator.webhooks).toMatchObject([
      { name: "Refunds of the EU", url: "https://example.com/moved", secret: refunds.secret },
    ]);
  });

  it("disables and enables a webhook", async () => {
    simulator.dashboard.create(orders);
    await toggle("Enabled: Orders").click();
    await until(() => toggle("Enabled: Orders").getAttribute("aria-checked")).toBe("false");
    expect(simulator.webhooks).toMatchObject([{ enabled: false }]);
    await toggle("Enabled: Orders").click();
    await until(() => simulator.webhooks).toMatchObject([{ enabled: true }]);
  });

  it("deletes a webhook when the person confirms it", async () => {
    simulator.dashboard.create(orders);
    await button("Delete Orders").click();
    await dialog().getByText("Orders (id 1) cannot be brought back.").waitFor();
    expect(await isFocused(dialog().getByRole("button", { name: "Cancel" }))).toBe(true);
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await dialog().waitFor({ state: "hidden" });
    expect(simulator.webhooks).toHaveLength(1);
    await button("Delete Orders").click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await until(() => webhooks().count()).toBe(0);
    expect(simulator.webhooks).toEqual([]);
  });

  it("says at its top what a button could not do, until the next one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-page-"));
    const data = join(folder, "webhooks.json");
    await context.close();
    await simulator.close();
    simulator = await startSimulator({ data });
    simulator.dashboard.create(orders);
    await open();
    await page.getByText(`webhooks kept in ${data}`).waitFor();
    const text = await readFile(data, "utf8");
    await writeFile(data, `${text}\n`);
    await toggle("Enabled: Orders").click();
    const problem = page.getByRole("alert").filter({ hasText: `${data} was changed by something else` });
    await problem.waitFor();
    expect(await toggle("Enabled: Orders").getAttribute("aria-checked")).toBe("true");
    await writeFile(data, text);
    await toggle("Enabled: Orders").click();
    await until(() => toggle("Enabled: Orders").getAttribute("aria-checked")).toBe("false");
    expect(await problem.count()).toBe(0);
    await rm(folder, { recursive: true });
  });

  it("says that a webhook in the form was deleted meanwhile", async () => {
    simulator.dashboard.create(orders);
    await button("Edit Orders").click();
    await page.getByLabel("Name").fill("Mine");
    simulator.dashboard.delete("1");
    await dialog().getByText("It was deleted meanwhile.").waitFor();
    await button("Save").click();
    await page.getByRole("alert").filter({ hasText: "Webhook not found." }).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Mine");
  });
});

describe("a switch of the page", () => {
  it("makes the next create fail, shows that it is on, and that it is used up", async () => {
    await page.getByLabel("Which calls").selectOption("creates");
    await page.getByLabel("How often").selectOption("once");
    const cut = page.getByRole("group", { name: "Takes effect, but nobody is told" });
    await cut.getByRole("switch", { name: "Connection cut" }).click();
    await cut.getByText("the next create").waitFor();
    expect(await cut.getByRole("switch", { name: "Connection cut" }).getAttribute("aria-checked")).toBe(
      "true",
    );

    await expect(declare(orders)).rejects.toThrow("in doubt whether the API created this webhook");

    await row("Orders").waitFor();
    await calls().getByText("Fault: reset after commit (took effect)").waitFor();
    await until(() => cut.getByRole("switch", { name: "Connection cut" }).getAttribute("aria-checked")).toBe(
      "false",
    );
    expect((await create(refunds)).status).toBe(201);
  });

  it("makes all calls fail until it is switched off, or all are", async () => {
    const server = page
      .getByRole("group", { name: "No effect" })
      .getByRole("switch", { name: "Server error (500)" });
    await server.click();
    await page.getByText("every call").waitFor();
    expect([(await create(orders)).status, (await create(orders)).status]).toEqual([500, 500]);
    await server.click();
    await until(() => server.getAttribute("aria-checked")).toBe("false");
    expect((await create(orders)).status).toBe(201);
    await toggle("Too many requests (429, Retry-After: 1)").click();
    await toggle("JSON cut off in the middle").click();
    await page.getByText("2 on").waitFor();
    await button("Switch all off").click();
    await until(() => button("Switch all off").isVisible()).toBe(false);
    expect((await create(orders)).status).toBe(201);
  });

  it("shows the faults that a program made", async () => {
    simulator.inject({ times: 3, operation: "delete", fault: { kind: "status", status: 418 } });
    await page.getByText("status 418: the next 3 deletes").waitFor();
  });

  it("changes the behaviour, says what is wrong with a value, and shows what a program sets", async () => {
    await page.getByLabel("What an update does to fields it omits").selectOption("cleared");
    await until(() => simulator.behaviour.omittedFields).toBe("cleared");
    const limit = page.getByLabel("Calls a second, and at once, before a 429");
    await limit.fill("5");
    await limit.press("Enter");
    await page.getByRole("alert").filter({ hasText: "expected PER_SECOND:BURST" }).waitFor();
    await limit.fill("5:10:headers");
    await limit.press("Enter");
    await until(() => simulator.behaviour.rateLimit).toEqual({ perSecond: 5, burst: 10, headers: true });
    simulator.behaviour.idPlace = "none";
    await until(() => page.getByLabel("Where the reply to a create holds the id").inputValue()).toBe("none");
  });
});

describe("whoever uses the page", () => {
  it("loses neither what is typed nor the focus when webhooks come and go", async () => {
    simulator.dashboard.create(orders);
    simulator.dashboard.create(refunds);
    await button("Edit Refunds").focus();
    simulator.dashboard.create({ name: "Third" });
    simulator.dashboard.delete("1");
    await row("Third").waitFor();
    await until(() => row("Orders").count()).toBe(0);
    expect(await isFocused(button("Edit Refunds"))).toBe(true);

    const limit = page.getByLabel("Calls a second, and at once, before a 429");
    await limit.pressSequentially("5:1");
    simulator.behaviour.idType = "string";
    await declare({ ...orders, name: "Fourth" });
    await row("Fourth").waitFor();
    await limit.pressSequentially("0");
    expect(await limit.inputValue()).toBe("5:10");

    await button("New webhook").click();
    await page.getByLabel("Name").pressSequentially("Ty");
    simulator.dashboard.create({ name: "Fifth" });
    await row("Fifth").waitFor({ state: "attached" });
    await page.getByLabel("Name").pressSequentially("ping");
    expect(await page.getByLabel("Name").inputValue()).toBe("Typing");
  });

  it("gets the focus on what is near when the webhook with the focus is gone", async () => {
    simulator.dashboard.create(orders);
    simulator.dashboard.create(refunds);
    await button("Edit Orders").focus();
    simulator.dashboard.delete("1");
    await until(() => isFocused(button("Edit Refunds"))).toBe(true);
    simulator.dashboard.delete("2");
    await until(() => isFocused(button("New webhook"))).toBe(true);
  });

  it("can do it all with the keyboard", async () => {
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await button("New webhook").focus();
    await press("Enter");
    await dialog().waitFor();
    await page.keyboard.type(orders.url);
    await press("Tab");
    await page.keyboard.type("Orders");
    await press("Tab", "Tab", "Space", "Enter");
    await row("Orders").waitFor();
    await until(() => isFocused(button("New webhook"))).toBe(true);
    expect(simulator.webhooks).toMatchObject([{ ...orders, enabled: false }]);

    await press("Tab");
    expect(await isFocused(toggle("Enabled: Orders"))).toBe(true);
    await press("Space");
    await until(() => simulator.webhooks[0]?.enabled).toBe(true);
    await press("Tab", "Enter");
    await dialog().waitFor();
    await press("Escape");
    await until(() => isFocused(button("Edit Orders"))).toBe(true);
    await press("Tab", "Enter");
    await dialog().waitFor();
    await press("Shift+Tab", "Enter");
    await until(() => simulator.webhooks).toEqual([]);
    await until(() => isFocused(button("New webhook"))).toBe(true);
  });

  it("sees the focus, in both schemes", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.keyboard.press("Tab");
      const outline = await page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
        return [outlineStyle, outlineWidth];
      });
      expect(outline).toEqual(["solid", "2px"]);
    }
  });

  it("runs nothing that a name holds, and sees it as it is", async () => {
    const name = '<img src="x" onerror="document.title=1"><script>document.title=1</script>';
    await create({ ...orders, name });
    await create({ url: "javascript:document.title=1", name: "Refunds \u{202e}evil" });
    await row("Refunds").waitFor();
    expect(await row(name).getByRole("heading").innerText()).toBe(name);
    expect(await calls().last().innerText()).toContain(name);
    expect(await row("Refunds").getByRole("heading").innerText()).toBe("Refunds \u{fffd}evil");
    await page.getByRole("button", { name: `Delete ${name}` }).click();
    await dialog().getByText(name).waitFor();
    expect(await page.title()).toBe("Webhook API simulator");
    expect(await page.locator("main img, main script, main a[href^=javascript]").count()).toBe(0);
  });

  it("sees no horizontal scroll bar on a phone, however long a name and a url", async () => {
    const long = "x".repeat(500);
    await create({ url: `https://example.com/${long}`, name: long, [long]: long });
    await create({ url: orders.url, name: "\u{645}\u{631}\u{62d}\u{628}\u{627} ".repeat(40) });
    simulator.inject({ fault: { kind: "redirect", to: "http://127.0.0.1/" }, match: () => false, skip: 1 });
    await open({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    await row(long).waitFor();
    await toggle("Too many requests (429, Retry-After: 1)").tap();
    await page.getByText("every call").waitFor();
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(await overflow()).toBe(0);
    await page.getByRole("button", { name: `Delete ${long}` }).tap();
    await dialog().waitFor();
    expect(await overflow()).toBe(0);
    const box = await dialog().boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
  });

  it("is not fooled by another site: that one reaches neither the state nor a webhook", async () => {
    simulator.dashboard.create(orders);
    const other = await startSimulator();
    const visitor = await context.newPage();
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
        await attempt("@page/events", {}),
        await attempt("@page/delete", { method: "POST", headers: json, body }),
        await attempt("@page/delete", { method: "POST", mode: "no-cors", body }),
      ];
    }, simulator.pageUrl);
    expect(outcome).toEqual(["refused", "refused", "refused"]);
    expect(simulator.webhooks).toHaveLength(1);
    await other.close();
  });
});
