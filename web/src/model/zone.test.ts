import { expect, test } from "vitest";
import { dayAfter, instantOf, inZone, isZone, wallOf } from "./zone";

test("check 9: a wall clock's time leaves with the offset that holds there then", () => {
  expect(instantOf("2026-11-30T14:00", "Europe/Berlin")).toBe("2026-11-30T14:00:00+01:00");
  expect(instantOf("2026-07-01T14:00", "Europe/Berlin")).toBe("2026-07-01T14:00:00+02:00");
  expect(instantOf("2026-11-30T14:00", "America/St_Johns")).toBe("2026-11-30T14:00:00-03:30");
  expect(instantOf("2026-11-30T14:00", "Asia/Kathmandu")).toBe("2026-11-30T14:00:00+05:45");
  expect(instantOf("2026-11-30T14:00:30", "UTC")).toBe("2026-11-30T14:00:30+00:00");
  // The hour after the clocks went back, and the day on which they go forward.
  expect(instantOf("2026-10-25T04:00", "Europe/Berlin")).toBe("2026-10-25T04:00:00+01:00");
  expect(instantOf("2026-03-29T03:30", "Europe/Berlin")).toBe("2026-03-29T03:30:00+02:00");
  expect(instantOf("soon", "UTC")).toBeNull();
});

test("an instant is shown on any wall", () => {
  expect(wallOf("2026-11-30T14:00:00+01:00", "Asia/Tokyo")).toBe("2026-11-30T22:00");
  expect(wallOf("2026-11-30T14:00:59+01:00", "Europe/Berlin")).toBe("2026-11-30T14:00");
  expect(wallOf("nonsense", "UTC")).toBe("");
  expect(inZone("2026-11-30T14:00:00+01:00", "Asia/Tokyo", "en-GB")).toBe("30 Nov 2026, 22:00");
  expect(dayAfter(Date.parse("2026-12-31T23:30:00Z"), "Europe/Berlin", 1)).toBe("2027-01-02");
  expect([isZone("Europe/Berlin"), isZone("Nowhere/Else")]).toEqual([true, false]);
});
