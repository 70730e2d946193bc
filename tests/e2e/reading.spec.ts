// What a call brings along to be read: what was asked before, and code.

import { CHOICE, expect, openCall, send, test } from "./journey";

test("a follow-up shows what was asked and answered before, and leads there", async ({ page, hub, ask }) => {
  const first = await ask(CHOICE);
  await openCall(page, first);
  await page.keyboard.press("2");
  await send(page).click();
  await hub.wait(first.id);
  const second = await ask({ ...CHOICE, title: "And then?", follows: first.id });
  const third = await ask({ ...CHOICE, title: "And after that?", follows: second.id });
  await openCall(page, third);
  const before = page.getByRole("region", { name: "Earlier in this conversation" });
  await expect(before.locator(".turn")).toHaveText([
    /Refund path[\s\S]*You answered[\s\S]*Store credit/,
    /And then\?[\s\S]*Not answered yet/,
  ]);
  await before.getByRole("link", { name: "And then?" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "And then?" })).toBeVisible();
  await expect(before.locator(".turn")).toHaveCount(1);
  const orphan = await ask({ ...CHOICE, follows: "0190d9a0-0000-7000-8000-000000000000" });
  await openCall(page, orphan);
  await expect(page.getByText("What came before is gone.")).toBeVisible();
});

test("a diff has its signs and its colours", async ({ page, ask }) => {
  const context = "```diff\n--- a/x\n+++ b/x\n-  mode: hold\n+  mode: to_source\n```";
  const call = await ask({ ...CHOICE, context });
  await openCall(page, call);
  await expect(page.locator(".line.removed")).toHaveText("-  mode: hold");
  await expect(page.locator(".line.added")).toHaveText("+  mode: to_source");
  await expect(page.locator(".line.place")).toHaveCount(2);
});
