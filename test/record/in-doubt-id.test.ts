import { expect, it } from "vitest";
import { createInDoubtId, mayBeId, readInDoubtId } from "../../src/record/in-doubt-id.js";

const sentAt = "2026-01-01T12:00:00Z";
const until = "2026-01-01T12:01:00.000Z";

it("keeps when a create was sent, and until when it may take effect", () => {
  const id = createInDoubtId({ sentAt, until });
  expect(id).toMatch(/^in-doubt:2026-01-01T12:00:00\.000Z\+60-[0-9a-f]{4}$/);
  expect(readInDoubtId(id)).toEqual({ sentAt, until });
  const earlier = createInDoubtId({ until });
  expect(readInDoubtId(earlier)).toEqual({ until });
  expect(mayBeId(earlier)).toBe(false);
});

it("waits for an hour if the id is of version 0.1.0, and does not fail if somebody has edited it", () => {
  expect(readInDoubtId("in-doubt:2026-01-01T12:00:00.000Z-abcd")).toEqual({
    sentAt,
    until: "2026-01-01T13:00:00.000Z",
  });
  expect(readInDoubtId("in-doubt:x").until).toBe("1970-01-01T01:00:00.000Z");
});
