import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRule, printRule } from "../src/fault-notation.js";
import type { FaultRule } from "../src/index.js";

describe("the notation of a fault", () => {
  it.each<[string, FaultRule]>([
    ["close", { fault: { kind: "close" } }],
    ["latency 5000 ms, always", { times: Infinity, fault: { kind: "latency", milliseconds: 5000 } }],
    ["create: reset after commit", { operation: "create", fault: { kind: "reset", when: "after commit" } }],
    ["hang before commit", { fault: { kind: "hang", commit: false } }],
    ["reply gzip bomb bytes=1000", { fault: { kind: "reply", body: "gzip bomb", bytes: 1000 } }],
    ['reply raw="{\\"id\\": 1}"', { fault: { kind: "reply", raw: '{"id": 1}' } }],
    [
      'status 503 after commit body="a, \\"b\\"" headers={"x":"} , {"}, 2 times, after 1, 30% seed -7',
      {
        ...{ times: 2, skip: 1, probability: 0.3, seed: -7 },
        fault: { kind: "status", status: 503, commit: true, body: 'a, "b"', headers: { x: "} , {" } },
      },
    ],
  ])("writes and reads %s", (text, rule) => {
    expect(parseRule(text)).toEqual(rule);
    expect(printRule(rule)).toBe(text);
  });

  it.each([
    ["create:reset after commit,once", "create: reset after commit"],
    [" delete : hang  after commit , 1 time ", "delete: hang after commit"],
    ["status 500 body=x after commit , 7.5 %", "status 500 after commit body=x, 7.5%"],
    ['reply raw={"id":1}', 'reply raw="{\\"id\\":1}"'],
    ["latency 100ms", "latency 100 ms"],
  ])("also reads %j", (text, printed) => {
    expect(printRule(parseRule(text))).toBe(printed);
  });

  it.each([
    ["", 'Unknown fault "". Write: [create:'],
    ["craete: close", 'Unknown fault "craete:". Write: [create:'],
    [
      "reset before",
      'Unexpected "before" in a fault. Write: [create:|update:|delete:] reset before reading | before commit',
    ],
    ["reset", "when: expected before reading | before commit"],
    ["status 99", "status: expected 200 to 599"],
    [
      "status 500 retryafter=1",
      'Unexpected "retryafter=1" in a fault. Write: [create:|update:|delete:] status 200 to 599',
    ],
    ['status 500 body="a', '"a is not JSON'],
    ["status 500 headers={x}", 'headers: expected {"NAME":"TEXT"}'],
    ["reply html raw=x", "expected body or raw, and not both"],
    ["latency 5", "milliseconds: expected N ms"],
    ["close, twice", 'Unexpected "twice" behind a fault. Write: [create:|update:|delete:] FAULT'],
    ["close, once, always", "says the same twice"],
    ["close, 200%", "rule.probability: expected a number from 0 to 1"],
  ])("refuses %j", (text, message) => {
    expect(() => parseRule(text)).toThrow(message);
    expect(() => parseRule(text)).toThrow(RangeError);
  });

  it("reads whatever it has written", () => {
    const retryAfter = fc.string({ unit: "grapheme-ascii" });
    const headers = fc.dictionary(fc.stringMatching(/^[a-z-]+$/), retryAfter);
    const [kind, status] = [fc.constant("status" as const), fc.integer({ min: 200, max: 599 })];
    const fault = fc.record({ kind, status, body: fc.json(), retryAfter, headers });
    fc.assert(
      fc.property(fc.record({ times: fc.nat(), skip: fc.nat(), fault }), (rule) => {
        expect({ times: 1, skip: 0, ...parseRule(printRule(rule)) }).toEqual(rule);
      }),
    );
  });
});
