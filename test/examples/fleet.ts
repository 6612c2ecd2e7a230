import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/src/index.js";
import { KEY, Stack } from "../support/stack.js";

/** The secrets that the teams' files name. */
const SECRETS = ["paymentsOrders", "paymentsRefunds", "logisticsShipments"];

const FILES = ["index.ts", "read-teams.ts", "team-file.ts", "team.ts", "teams", "tsconfig.json"];

/** The fleet as a stack, with its files in a folder below the one where it is installed. */
export class Fleet implements AsyncDisposable {
  readonly stack: Stack;
  readonly us: Simulator;
  readonly eu: Simulator;

  private constructor(stack: Stack, eu: Simulator) {
    this.stack = stack;
    this.us = stack.api;
    this.eu = eu;
  }

  /** Creates the stack. Each secret has the name of its config key as its value. */
  static async create(installed: string): Promise<Fleet> {
    const stack = await Stack.create({ project: installed, compiledByPulumi: true });
    const fleet = new Fleet(stack, await startSimulator({ apiKey: KEY }));
    for (const file of FILES) await cp(join(installed, file), join(stack.folder, file), { recursive: true });
    await stack.configure(
      { "us:baseUrl": fleet.us.url, "eu:baseUrl": fleet.eu.url },
      {
        "us:apiKey": KEY,
        "eu:apiKey": KEY,
        ...Object.fromEntries(SECRETS.map((secret) => [secret, secret])),
      },
    );
    return fleet;
  }

  /** Writes a team's file. */
  write(team: string, text: string): Promise<void> {
    return writeFile(this.#path(team), text);
  }

  read(team: string): Promise<string> {
    return readFile(this.#path(team), "utf8");
  }

  remove(team: string): Promise<void> {
    return rm(this.#path(team));
  }

  /** Changes a team's file. */
  async edit(team: string, old: string, text: string): Promise<void> {
    const file = await this.read(team);
    if (!file.includes(old)) throw new Error(`${team} has no ${old}`);
    await this.write(team, file.replace(old, text));
  }

  #path(team: string): string {
    return join(this.stack.folder, "teams", `${team}.yaml`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack[Symbol.asyncDispose]();
    await this.eu.close();
  }
}
