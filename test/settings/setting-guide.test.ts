import { expect, it } from "vitest";
import {
  STORED_KEY,
  STORED_SETTING,
  STORED_SETTINGS,
  withoutStored,
} from "../../src/settings/setting-guide.js";

it.each([
  [`401. ${STORED_KEY} The API key was refused.`, "401. The API key was refused."],
  [`Run it, then try again${STORED_SETTING}.`, "Run it, then try again."],
  [`It is missing. ${STORED_SETTINGS}`, "It is missing."],
])("a command that runs the program says nothing of --run-program: %s", (text, said) => {
  expect(withoutStored(text)).toBe(said);
});
