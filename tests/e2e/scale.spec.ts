// Many calls: what is drawn, where the focus stays, and what moves.

import { expect, TEXT, test } from "./journey";

const CALLS = 300;
const DOM_ROWS_MAX = 60;
const LAYOUT_SHIFT_MAX = 0.02;

test("checks 57 and 58: few rows are drawn of many, and the focus outlives scrolling", async ({ page, ask }) => {
  test.setTimeout(90_000);
  for (let at = 0; at < CALLS; at += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, more) => ask({ ...TEXT, title: `Call ${at + more}` })));
  }
  await page.addInitScript(() => {
    Object.assign(globalThis, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
        if (!hadRecentInput) Object.assign(globalThis, { shift: Reflect.get(globalThis, "shift") + value });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  const begun = Date.now();
  await page.goto("./");
  const rows = page.locator("#list a[data-row]");
  await expect(rows.first()).toBeVisible();
  console.log(`first of ${CALLS} rows after ${Date.now() - begun} ms (aim: 1 500 ms at a quarter of the speed)`);
  await expect(page.getByText(`${CALLS} calls wait`).first()).toBeVisible();
  await expect(page.locator("#list li").first()).toHaveAttribute("aria-setsize", String(CALLS));
  expect(await rows.count()).toBeLessThanOrEqual(DOM_ROWS_MAX);

  for (let row = 0; row < 5; row++) await page.keyboard.press("j");
  const fifth = await page.evaluate(() => (document.activeElement as HTMLElement).dataset.row);
  await page.mouse.move(180, 500);
  for (let turn = 0; turn < 20; turn++) await page.mouse.wheel(0, 1000);
  await expect(page.locator("#list li").last()).toHaveAttribute("aria-posinset", String(CALLS));
  expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset.row)).toBe(fifth);
  expect(await rows.count()).toBeLessThanOrEqual(DOM_ROWS_MAX);
  await page.keyboard.press("j");
  await expect(page.locator("#list li:has(a:focus)")).toHaveAttribute("aria-posinset", "6");
  await expect(page.locator("#list a:focus")).toBeInViewport();
  await page.keyboard.press("End");
  await expect(page.locator("#list li:has(a:focus)")).toHaveAttribute("aria-posinset", String(CALLS));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: /^Call \d+$/ })).toBeVisible();

  const steps: number[] = [];
  for (let step = 0; step < 30; step++) {
    const pressed = Date.now();
    await page.keyboard.press("k");
    steps.push(Date.now() - pressed);
  }
  steps.sort((a, b) => a - b);
  console.log(`a key and back: median ${steps[15]} ms, longest ${steps.at(-1)} ms (aim for a key to paint: 100 ms)`);
  expect(await rows.count()).toBeLessThanOrEqual(DOM_ROWS_MAX);
  expect(await page.evaluate(() => Reflect.get(globalThis, "shift") as number)).toBeLessThanOrEqual(LAYOUT_SHIFT_MAX);
});
