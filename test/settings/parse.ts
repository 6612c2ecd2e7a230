import { expect } from "vitest";
import { type ParsedSettings, parseSettings, type Settings } from "../../src/settings/settings.js";

/** Parses settings as a stack's config has them, by their names without the namespace. */
export function parse(
  config: Record<string, string | undefined>,
  sources: Partial<Parameters<typeof parseSettings>[0]> = {},
): ParsedSettings {
  return parseSettings({
    config: (key) => config[key.slice("webhooks:".length)],
    environment: {},
    ...sources,
  });
}

/** Returns settings that have no problems. */
export function settingsOf(config: Record<string, string>): Settings {
  const parsed = parse(config);
  return "settings" in parsed ? parsed.settings : expect.fail(parsed.problems().join());
}
