/// <reference lib="dom" />
// Functions that run in the browser use the DOM.

import { createRequire } from "node:module";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { chromium } from "playwright-core";
import type { ExpectStatic } from "vitest";
import { afterAll, beforeAll, it } from "vitest";
import type { Simulator, SimulatorOptions } from "../../src/simulator/index.js";
import { builtFile } from "../cli/built-command.js";
import { getChromium } from "./chromium.js";

// As users get it: the build bundles the UI.
const { startSimulator }: typeof import("../../src/simulator/index.js") = createRequire(import.meta.url)(
  builtFile("simulator/index.js"),
);

export const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders" };
export const REFUNDS = {
  url: "https://example.com/hooks/refunds",
  name: "Refunds",
  secret: "whsec-canary-0815",
};
/** The label of the field for the rate limit. */
export const LIMIT = "Requests per second, and at once, before a 429";

// A browser on a busy machine may be slow; every wait ends with its condition.
const PATIENCE = { timeout: 30_000 };

let browser: Browser;
/** The tests' tabs share it: a context of its own costs each of them twice the time. */
let context: BrowserContext;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: await getChromium(),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  context = await newContext();
  // The first time on a machine installs it.
}, 600_000);

afterAll(() => browser?.close());

async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const created = await browser.newContext({ locale: "en-GB", ...options });
  created.setDefaultTimeout(PATIENCE.timeout);
  return created;
}

/** A test with a simulator and its UI in a tab of its own. The browser must not complain. */
export const test = it.extend<{ ui: Ui }>({
  ui: async ({ task }, use) => {
    // Concurrent tests cannot poll with the global one.
    const { expect } = task.context;
    const ui = new Ui(expect);
    await ui.start({ path: "/v1" });
    await ui.open();
    await use(ui);
    await ui.close();
    expect(ui.complaints).toEqual([]);
  },
});

/** A simulator and its UI in a browser. */
export class Ui {
  /** Errors of scripts, requests to other hosts, and everything that the Content-Security-Policy blocked. */
  complaints: string[] = [];
  readonly #expect: ExpectStatic;
  #simulator: Simulator | undefined;
  #page: Page | undefined;

  constructor(expect: ExpectStatic) {
    this.#expect = expect;
  }

  get simulator(): Simulator {
    if (!this.#simulator) throw new Error("The simulator is not started.");
    return this.#simulator;
  }

  get page(): Page {
    if (!this.#page) throw new Error("The UI is not open.");
    return this.#page;
  }

  /** Starts a simulator. Close the one before first. */
  async start(options: SimulatorOptions): Promise<void> {
    this.#simulator = await startSimulator(options);
  }

  /** Opens the UI, in a context of its own if there are options, and waits until it follows the simulator. */
  async open(options?: BrowserContextOptions): Promise<void> {
    await this.#closePage();
    const page = await (options ? await newContext(options) : context).newPage();
    this.#page = page;
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(this.simulator.pageUrl)) this.complaints.push(`requests ${url}`);
    });
    page.on("pageerror", ({ message }) => this.complaints.push(message));
    page.on("console", (message) => {
      // A refused action is not an error of the UI.
      const isRefusal = message
        .text()
        .startsWith("Failed to load resource: the server responded with a status of ");
      if (["error", "warning"].includes(message.type()) && !isRefusal) this.complaints.push(message.text());
    });
    await page.goto(this.simulator.pageUrl);
    await page.getByText("Live", { exact: true }).waitFor();
  }

  async close(): Promise<void> {
    await this.#closePage();
    await this.#simulator?.close();
  }

  async #closePage(): Promise<void> {
    const opened = this.#page?.context();
    await (opened === context ? this.#page : opened)?.close();
    this.#page = undefined;
  }

  get webhooks(): Locator {
    return this.page.getByRole("list", { name: "Webhooks" }).getByRole("listitem");
  }

  webhook(name: string): Locator {
    return this.webhooks.filter({ hasText: name });
  }

  get requests(): Locator {
    return this.page.getByRole("list", { name: "Last requests" }).locator("> li");
  }

  get faults(): Locator {
    return this.page.getByRole("list", { name: "Faults" }).getByRole("listitem");
  }

  get dialog(): Locator {
    return this.page.getByRole("dialog");
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  toggle(name: string): Locator {
    return this.page.getByRole("switch", { name, exact: true });
  }

  alert(text: string): Locator {
    return this.page.getByRole("alert").filter({ hasText: text });
  }

  /** Adds a fault: by default to the next request. */
  async addFault(fault: string, { requests = "all requests", times = "once" } = {}): Promise<void> {
    await this.page.getByLabel("Fault", { exact: true }).selectOption(fault);
    await this.page.getByLabel("Which requests").selectOption(requests);
    await this.page.getByLabel("How often").selectOption(times);
    await this.button("Add fault").click();
  }

  /** Expects of a value that it becomes what is expected. */
  until<Value>(value: () => Value): ReturnType<ExpectStatic["poll"]> {
    return this.#expect.poll(value, PATIENCE);
  }

  isFocused(locator: Locator): Promise<boolean> {
    return locator.evaluate((element) => element === document.activeElement);
  }
}
