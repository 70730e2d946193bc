import { expect, test } from "vitest";
import { GUARD_MAX_MS, GUARD_MS, InputGuard } from "./guard";

test("a press in the first 400 ms is swallowed, and starts them again", () => {
  const guard = new InputGuard();
  guard.arm(0);
  expect(guard.admits(399)).toBe(false);
  expect(guard.admits(500)).toBe(false);
  expect(guard.admits(500 + GUARD_MS)).toBe(true);
});

test("presses without end are let through after two seconds", () => {
  const guard = new InputGuard();
  guard.arm(0);
  for (let now = 50; now < GUARD_MAX_MS; now += 50) expect(guard.admits(now)).toBe(false);
  expect(guard.admits(GUARD_MAX_MS)).toBe(true);
});

test("without a change nothing is swallowed", () => {
  expect(new InputGuard().admits(0)).toBe(true);
});
