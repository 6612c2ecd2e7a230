import { z } from "zod";
import { parseJson } from "../client/api.js";
import { startPulumi } from "../stack/pulumi-cli.js";

/** The API keys of the Providers of a stack, by their references in its state: `<urn>::<id>`. */
export type ProviderKeys = ReadonlyMap<string, string>;

/** A decrypted secret is an object with its JSON. */
const secret = z.object({ plaintext: z.string() }).transform(({ plaintext }) => parseJson(plaintext));
const key = z.union([z.string(), secret.pipe(z.string())]);
const provider = z.object({
  urn: z.string(),
  id: z.string(),
  // Of the dynamic provider, and of the plugin.
  inputs: z.union([
    z.object({ "webhooks:apiKey": key }).transform((inputs) => inputs["webhooks:apiKey"]),
    z.object({ apiKey: key }).transform(({ apiKey }) => apiKey),
  ]),
});
const state = z.object({ deployment: z.object({ resources: z.array(z.unknown()) }) });

/**
 * Reads the keys of the Providers, of the last up. They are compared, and never shown or written.
 *
 * @returns no keys if the state cannot be decrypted here.
 */
export async function readProviderKeys(stack: string): Promise<ProviderKeys> {
  const args = ["stack", "export", "--show-secrets", "--stack", stack];
  const text = await startPulumi(args).text.catch(() => "");
  const { deployment } = state.safeParse(parseJson(text)).data ?? {};
  const providers = deployment?.resources.flatMap((resource) => provider.safeParse(resource).data ?? []);
  return new Map(providers?.map(({ urn, id, inputs }) => [`${urn}::${id}`, inputs]));
}
