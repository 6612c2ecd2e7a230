// Declares the webhooks of all teams, in two accounts.
import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";
import { readTeams } from "./read-teams";
import { Team } from "./team";

// First of all: a problem in a file stops the program before it declares anything.
const teams = readTeams("teams");

const accounts = { us: declareAccount("us"), eu: declareAccount("eu") };

/** The ids of the webhooks, by team and key. */
export const ids = Object.fromEntries(
  teams.map(({ team, ...data }) => [team, new Team(team, { ...data, accounts }).ids]),
);

function declareAccount(name: string): webhooks.Provider {
  // In a namespace of its own: the files name secrets of the project's namespace, and cannot name an API key.
  const config = new pulumi.Config(name);
  return new webhooks.Provider(name, {
    baseUrl: config.require("baseUrl"),
    apiKey: config.requireSecret("apiKey"),
  });
}
