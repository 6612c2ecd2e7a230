import type { dynamic } from "@pulumi/pulumi";
import type { Properties } from "../lifecycle/run.js";

/** What a dynamic provider of this package implements. */
type Provider = Required<Pick<dynamic.ResourceProvider<Properties, Properties>, "diff" | "update">>;

/**
 * Adds the stored text to webhooks that the plugin has recorded, and sends nothing for that.
 *
 * The SDK runs the text in a webhook's outputs for each read and delete. The plugin needs none and records none, so a webhook
 * that an alias moves here is updated once: the SDK adds the text to the result of an update. A request is sent only if
 * something else has changed, too.
 */
export function acceptFromPlugin({ diff, update }: Provider): Provider {
  const same = new Set<string>();
  return {
    async diff(id, olds, news) {
      const difference = await diff(id, olds, news);
      same.delete(id);
      if (!isFromPlugin(olds) || difference.changes) return difference;
      same.add(id);
      return { changes: true };
    },
    async update(id, olds, news) {
      return same.has(id) ? { outs: olds } : update(id, olds, news);
    },
  };
}

function isFromPlugin(outputs: Properties): boolean {
  return !("__provider" in outputs);
}
