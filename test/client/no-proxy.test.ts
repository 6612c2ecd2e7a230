import { expect, it } from "vitest";
import { isInRange } from "../../src/client/transport.js";

it.each([
  ["10.1.2.3", "10.0.0.0/8", true],
  ["10.1.2.3", "example.com, 192.168.0.0/16 10.1.0.0/16", true],
  ["11.1.2.3", "10.0.0.0/8", false],
  ["[fd00::1]", "fd00::/8", true],
  ["[fe80::1]", "fd00::/8", false],
  ["api.example.com", "10.0.0.0/8", false],
  ["10.1.2.3", "10.0.0.0/33,10.0.0.0/x,10.0.0.0,/8,", false],
  ["10.1.2.3", "", false],
])("decides whether %s is in a range of NO_PROXY=%s: %j", (hostname, noProxy, expected) => {
  expect(isInRange(hostname, noProxy)).toBe(expected);
});
