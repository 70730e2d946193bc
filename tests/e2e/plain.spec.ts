// Without script: the plain pages, as old phones and text browsers have them.

import { CHOICE, expect, SEVERAL, TEXT, test } from "./journey";

test.use({ javaScriptEnabled: false });

test("check 55: a choice is answered without script, and the agent's long poll gets it", async ({ page, hub, ask }) => {
  const call = await ask(CHOICE);
  const waiting = hub.wait(call.id);
  await page.goto("plain");
  await page.getByRole("link", { name: /Refund path|make customers whole/ }).click();
  await page.getByLabel(/Store credit/).check();
  await page.getByRole("button", { name: "Send answer" }).click();
  expect((await waiting).outcome?.answers[0]?.selected).toMatchObject([{ id: "credit" }]);
});

test("check 55: own words are sent from a textarea", async ({ page, hub, ask }) => {
  const call = await ask(TEXT);
  await page.goto(`plain/a/${call.id}`);
  await page.getByRole("textbox").first().fill("Faster retries");
  await page.getByRole("button", { name: "Send answer" }).click();
  expect((await hub.wait(call.id)).outcome?.answers[0]?.custom).toBe("Faster retries");
});

test("check 55: two questions are answered by keyboard alone", async ({ page, hub, ask }) => {
  const call = await ask(SEVERAL);
  await page.goto(`plain/a/${call.id}`);
  await page.getByLabel("Beta").focus();
  await page.keyboard.press("Space");
  await page.getByLabel("Gamma").focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Send answer" }).focus();
  await page.keyboard.press("Enter");
  const answers = (await hub.wait(call.id)).outcome?.answers;
  expect(answers?.map((answer) => answer.selected[0]?.id)).toEqual(["o2", "o1"]);
});

test("the page leads to the plain pages where script is off", async ({ page, ask }) => {
  await ask(CHOICE);
  await page.goto("./");
  await page.waitForURL(/\/plain\/?$/);
  await expect(page.getByRole("link", { name: /Refund path|make customers whole/ })).toBeVisible();
});
