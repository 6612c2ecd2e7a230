/// <reference lib="dom" />
// Functions that run in the browser use the DOM.
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, type ExpectStatic, it } from "vitest";
import { type Simulator, type SimulatorOptions, startSimulator } from "../src/index.js";
import { getChromium } from "./chromium.js";

// A browser on a busy machine may be slow; every wait ends with its condition.
const PATIENCE = { timeout: 120_000 };

let browser: Browser;

beforeAll(async () => {
  const args = ["--no-sandbox", "--disable-gpu"];
  browser = await chromium.launch({ executablePath: await getChromium(), args });
  // The first time on a machine installs it.
}, 600_000);

afterAll(() => browser?.close());

/** A test with a simulator and its page in a browser, which must not complain. */
export const test = it.extend<{ ui: Ui }>({
  ui: async ({ task }, use) => {
    // Concurrent tests cannot poll with the global one.
    const { expect } = task.context;
    const ui = new Ui(expect);
    await ui.start({ path: "/v1" });
    await ui.open();
    await use(ui);
    await ui.page.context().close();
    await ui.simulator.close();
    expect(ui.complaints).toEqual([]);
  },
});

/** A simulator and its page in a browser. */
class Ui {
  /** Errors of scripts, requests to other hosts, and everything that the Content-Security-Policy blocked. */
  readonly complaints: string[] = [];
  declare simulator: Simulator;
  declare page: Page;
  readonly #expect: ExpectStatic;

  constructor(expect: ExpectStatic) {
    this.#expect = expect;
  }

  async start(options: SimulatorOptions): Promise<void> {
    this.simulator = await startSimulator(options);
  }

  /** Opens the page, in a new context, and waits until it follows the simulator. */
  async open(options: BrowserContextOptions = {}): Promise<void> {
    await this.page?.context().close();
    const context = await browser.newContext({ locale: "en-GB", ...options });
    context.setDefaultTimeout(PATIENCE.timeout);
    this.page = await context.newPage();
    this.page.on("request", (request) => {
      if (!request.url().startsWith(this.simulator.pageUrl))
        this.complaints.push(`requests ${request.url()}`);
    });
    this.page.on("pageerror", ({ message }) => this.complaints.push(message));
    this.page.on("console", (message) => {
      // The browser's own messages about refused actions, and about a simulator that is restarted.
      const isRefusal = /^Failed to load resource: (the server|net::ERR_(CONNECTION|INCOMPLETE))/.test(
        message.text(),
      );
      if (["error", "warning"].includes(message.type()) && !isRefusal) this.complaints.push(message.text());
    });
    await this.page.goto(this.simulator.pageUrl);
    if (options.javaScriptEnabled !== false) await this.page.getByText("Live", { exact: true }).waitFor();
  }

  /** Finds the rows of a list, or one of them. */
  rows(list: "Webhooks" | "Last requests" | "Faults", text = ""): Locator {
    return this.page.locator(`section:has(h2:text("${list}")) .rows > li`).filter({ hasText: text });
  }

  webhook(name: string): Locator {
    return this.rows("Webhooks", name);
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  summary(name: string): Locator {
    return this.page
      .locator("summary")
      .and(this.page.getByLabel(name, { exact: true }).or(this.page.getByText(name, { exact: true })));
  }

  /** Finds a field of the form that creates a webhook. */
  field(name: string): Locator {
    return this.page.locator("form[action$=webhooks]").getByLabel(name);
  }

  alert(hasText: string): Locator {
    return this.page.getByRole("alert").filter({ hasText });
  }

  /** Expects of a value that it becomes what is expected. */
  until<Value>(value: () => Value): ReturnType<ExpectStatic["poll"]> {
    return this.#expect.poll(value, PATIENCE);
  }

  isFocused(locator: Locator): Promise<boolean> {
    return locator.evaluate((element) => element === document.activeElement);
  }
}
