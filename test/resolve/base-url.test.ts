import { expect, it } from "vitest";
import { shortHash } from "../../src/notes/short-hash.js";
import { findBaseUrl } from "../../src/resolve/base-url.js";
import type { ExportedResource } from "../../src/stack/stack-export.js";
import { findUnresolved } from "../../src/stack/unresolved.js";
import { exported, IN_DOUBT, pending, providerOf, SENT, urnOf, webhook } from "../stack/exported.js";

const [recorded, configured, given] = ["recorded", "configured", "given"].map(
  (name) => `https://${name}.example.com`,
) as [string, string, string];

/** The settings of a Provider in the state. */
const settings = (name: string, baseUrl: unknown = `${recorded}/`): ExportedResource => ({
  urn: providerOf(name).replace("::p1", ""),
  id: "p1",
  type: "pulumi:providers:pulumi-nodejs",
  inputs: { "webhooks:baseUrl": baseUrl, ...(name !== "default" && { "webhooks:explicitProvider": name }) },
});
const secret = { ciphertext: "v1:" };
const inDoubt = webhook("orders", { id: IN_DOUBT });
const creating = (provider: string) => [pending("creating", "orders", { provider: providerOf(provider) })];
const noted = (url: string, provider?: string) => [
  { urn: urnOf("orders"), sentAt: SENT, api: shortHash(url), file: "", ...(provider && { provider }) },
];

type State = Parameters<typeof findUnresolved>;
/** A state with settings of Providers, in which a create of one of them is pending, or noted. */
const killed = (provider: string, ...all: ExportedResource[]): State => [exported(all, creating(provider))];
const onlyNoted = (url: string, ...all: ExportedResource[]): State => [exported(all), noted(url)];
const main = settings("default");
const encrypted = settings("default", secret);

it.each<[string, unknown, State, object?]>([
  ["in the record", "https://api.example.com", [exported([inDoubt, main])], { given }],
  [
    "in a record that has it encrypted",
    secret,
    [exported([{ ...inDoubt, outputs: { baseUrl: secret } }])],
    { given },
  ],
  ["in the settings of its Provider", recorded, killed("default", main)],
  ["in those of its own Provider", recorded, killed("eu", settings("default", configured), settings("eu"))],
  ["as the user gave it", given, killed("default", main), { given: `${given}/` }],
  ["in settings that have it encrypted", secret, killed("default", encrypted)],
  ["in the stack's config, if its Provider has left the state", configured, killed("default")],
  ["not in that for an explicit Provider", undefined, killed("eu")],
  ["nor in a text that is no URL", configured, killed("default", settings("default", "nowhere"))],
  ["for a note of it, in settings that have it encrypted", secret, onlyNoted(configured, encrypted)],
  ["for a note of another one, as the user gave it", given, onlyNoted(given, encrypted), { given }],
  ["for a note, in the settings of its Provider", recorded, onlyNoted(recorded, main)],
  ["for a note of an explicit one", recorded, [exported([settings("eu")]), noted(recorded, "eu")]],
  ["for a note, only as far as its hash agrees", configured, onlyNoted(configured, main), { given }],
  [
    "for a note of a URL that nothing shows",
    undefined,
    onlyNoted("https://old.example.com", main),
    { given },
  ],
  [
    "for a note of a URL that nothing shows, without settings of the default Provider",
    undefined,
    [exported([settings("eu", secret)]), noted("https://old.example.com", "eu")],
    { configured: undefined },
  ],
])("finds the URL that a create was sent to %s", (_, expected, state, sources) => {
  const [create = expect.unreachable()] = findUnresolved(...state);
  const settings = { given: undefined, configured, isFromEnvironment: false };
  expect(findBaseUrl(create, { exported: state[0], ...settings, ...sources })).toBe(expected);
});

it("takes no URL from the environment unless a note confirms it: it may be that of another machine", () => {
  const environment = { given: undefined, configured, isFromEnvironment: true };
  const [pending = expect.unreachable()] = findUnresolved(...killed("default"));
  expect(findBaseUrl(pending, { exported: exported([]), ...environment })).toBeUndefined();
});
