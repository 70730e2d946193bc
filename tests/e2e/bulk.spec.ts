// Several calls at once, with honest results.

import { CHOICE, expect, test } from "./journey";

test("check 60: ten are chosen, one was answered meanwhile, and one that came later is left alone", async ({
  page,
  ana,
  hub,
  ask,
}) => {
  const calls = [];
  for (let at = 0; at < 10; at++) calls.push(await ask({ ...CHOICE, title: `Same ${at}` }));
  await page.goto("./");
  await expect(page.locator("#list a[data-row]")).toHaveCount(10);
  for (let at = 0; at < 10; at++) {
    await page.keyboard.press("j");
    await page.keyboard.press("x");
  }
  const bar = page.getByRole("group", { name: "Chosen calls" });
  await expect(bar).toContainText("10 chosen");
  await bar.getByRole("button", { name: "Answer all the same" }).click();
  const dialog = page.getByRole("dialog", { name: "One answer for 10 calls" });
  await expect(dialog.getByRole("listitem")).toHaveCount(10);
  const later = await ask({ ...CHOICE, title: "Later" });
  const other = await ana();
  await other.goto(`a/${calls[3]?.id}`);
  await other.getByRole("radio", { name: "Refund to source" }).click();
  await expect(other.locator("#advance:not([aria-disabled=true])")).toBeVisible();
  await other.locator("#advance").click();
  await hub.wait(calls[3]?.id ?? "");
  await expect(dialog.getByRole("button", { name: "Answer 10" }), "nothing is chosen yet").toBeDisabled();
  await dialog.getByRole("radio", { name: "Store credit" }).check();
  await dialog.getByRole("button", { name: "Answer 10" }).click();
  await expect(bar).toContainText("9 done · 1 already answered");
  expect((await hub.read(calls[9]?.id ?? "")).outcome?.answers[0]?.selected[0]?.id).toBe("credit");
  expect((await hub.read(calls[3]?.id ?? "")).outcome?.by?.name).toBe("Ana");
  expect((await hub.read(later.id)).status).toBe("pending");
});

test("several are declined with one reason, and what is risky can be approved one by one only", async ({
  page,
  hub,
  ask,
}) => {
  const tool = { name: "Bash", arguments: { command: "rm -r x" } };
  const risky = { title: "Risky", questions: [{ kind: "approval", question: "May I?", risk: "destructive", tool }] };
  const calls = [await ask(risky), await ask(risky)];
  await page.goto("./");
  await expect(page.locator("#list a[data-row]")).toHaveCount(2);
  for (const _ of calls) {
    await page.keyboard.press("j");
    await page.keyboard.press("x");
  }
  const bar = page.getByRole("group", { name: "Chosen calls" });
  await expect(bar.getByRole("button")).toHaveText(["Decline all", "Claim", "Clear"]);
  await bar.getByRole("button", { name: "Decline all" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("Not on a Friday");
  await page.getByRole("dialog").getByRole("button", { name: "Decline 2" }).click();
  await expect(bar).toContainText("2 done");
  for (const call of calls) {
    const { outcome } = await hub.read(call.id);
    expect([outcome?.status, outcome?.reason]).toEqual(["declined", "Not on a Friday"]);
  }
});
