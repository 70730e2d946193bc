import { expect, test } from "vitest";
import {
  age,
  countdown,
  HOUR,
  MINUTE,
  milestonePassed,
  milestoneWords,
  SECOND,
  ServerClock,
  warningSpan,
} from "./time";

test("a countdown never shows less than is left, and stops at zero", () => {
  expect(countdown(4 * MINUTE + 11_001)).toBe("4:12");
  expect(countdown(1)).toBe("0:01");
  expect(countdown(0)).toBe("0:00");
  expect(countdown(-5_000)).toBe("0:00");
  expect(countdown(2 * HOUR + 5 * MINUTE)).toBe("2 h 05 min");
  expect(countdown(50 * HOUR)).toBe("2 d 2 h");
});

test("ages are short", () => {
  expect(age(59 * SECOND)).toBe("now");
  expect(age(38 * MINUTE)).toBe("38 min");
  expect(age(26 * HOUR)).toBe("1 d");
});

test("the warning comes two minutes before, or at a fifth of a short span, but not below 20 s", () => {
  expect(warningSpan(HOUR)).toBe(2 * MINUTE);
  expect(warningSpan(5 * MINUTE)).toBe(MINUTE);
  expect(warningSpan(30 * SECOND)).toBe(20 * SECOND);
});

test("each milestone is passed once", () => {
  expect(milestonePassed(5 * MINUTE + 400, 5 * MINUTE - 600)).toBe(5 * MINUTE);
  expect(milestonePassed(5 * MINUTE - 600, 5 * MINUTE - 1600)).toBeNull();
  expect(milestonePassed(30_500, 29_500)).toBe(30 * SECOND);
  expect(milestonePassed(500, -500)).toBeNull();
  expect(milestoneWords(MINUTE)).toBe("1 minute left");
  expect(milestoneWords(30 * SECOND)).toBe("30 seconds left");
});

test("the hub's clock is taken from a reply, however wrong the machine's is", () => {
  const clock = new ServerClock(999_999_000, 0);
  clock.measure(50_000, 100, 140, 1);
  expect(clock.now(120)).toBeCloseTo(50_000.5);
  expect(clock.now(10_120)).toBeCloseTo(60_000.5);
});

test("a coarse measurement does not spoil a fine one that it agrees with", () => {
  const clock = new ServerClock(0, 0);
  clock.measure(50_000, 100, 102, 1);
  clock.measure(51_000, 1_800, 1_900, 1_000);
  expect(clock.now(1_101)).toBeCloseTo(51_000.5);
});

test("a measurement that disagrees by more than its own error is taken, as after a sleep", () => {
  const clock = new ServerClock(0, 0);
  clock.measure(50_000, 100, 102, 1);
  clock.measure(3_650_000, 1_100, 1_200, 1_000);
  expect(clock.now(1_150)).toBe(3_650_500);
});

test("a Date that cannot be read changes nothing", () => {
  const clock = new ServerClock(5_000, 0);
  clock.measure(Number.NaN, 0, 1, 1);
  expect(clock.now(0)).toBe(5_000);
});
