import { expect, test } from "vitest";
import { Burst, iconWith } from "./notices";

test("more than three arrivals in ten seconds are one notice, and then quiet", () => {
  const burst = new Burst();
  expect([0, 1, 2, 3, 4].map((at) => burst.next(at))).toEqual(["single", "single", "single", "burst", "silent"]);
  expect(burst.next(20_000)).toBe("single");
});

test("the tab's picture has a number that fits", () => {
  expect(decodeURIComponent(iconWith(3))).toContain(">3</text>");
  expect(decodeURIComponent(iconWith(42))).toContain(">9+</text>");
});
