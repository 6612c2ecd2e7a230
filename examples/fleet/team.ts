import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";
import type { Account, TeamData } from "./team-file";

/** What a team declares, and the accounts that it can use. */
export interface TeamArgs extends TeamData {
  accounts: Record<Account, webhooks.Provider>;
}

/** The webhooks of one team. */
export class Team extends pulumi.ComponentResource {
  /** The id of each webhook, by its key in the team's file. */
  readonly ids: Record<string, pulumi.Output<string>>;

  /**
   * Declares the webhooks of a team.
   *
   * @param team the team's name.
   * @param args its webhooks, and the accounts.
   * @param options Pulumi's options. Do not pass a Provider: each webhook gets that of its account.
   */
  constructor(team: string, args: TeamArgs, options: pulumi.ComponentResourceOptions = {}) {
    const { accounts, renamedFrom } = args;
    // The webhooks inherit the alias: billing/orders is then known to be the old payments/orders.
    const aliases = renamedFrom === undefined ? [] : [{ name: renamedFrom }];
    super("fleet:index:Team", team, {}, pulumi.mergeOptions(options, { aliases }));
    this.ids = {};
    for (const [key, { account, critical, ...webhook }] of Object.entries(args.webhooks)) {
      // The name must be unique in the stack. No team and no key contains a slash.
      const { id } = new webhooks.Webhook(`${team}/${key}`, webhook, {
        parent: this,
        provider: accounts[account],
        protect: critical,
      });
      this.ids[key] = id;
    }
    this.registerOutputs({ ids: this.ids });
  }
}
