// Faults that were reported of systems like this one, each as a journey.

import { CHOICE, expect, openCall, send, TEXT, test } from "./journey";

test("a late second click of a double click does not send the next call that moved into its place", async ({
  page,
  hub,
  ask,
}) => {
  const first = await ask(CHOICE);
  const second = await ask({ ...CHOICE, title: "Another one" });
  await openCall(page, second);
  await page.getByRole("radio", { name: "Refund to source" }).click();
  await expect(page.getByText(/Draft kept/)).toBeVisible();
  await openCall(page, first);
  await expect(page.getByRole("link", { name: /Another one/ })).toBeVisible();
  await page.getByRole("radio", { name: "Store credit" }).click();
  const place = await send(page).boundingBox();
  await page.mouse.move((place?.x ?? 0) + 20, (place?.y ?? 0) + 20);
  await page.mouse.down();
  await page.mouse.up();
  await expect(page.getByRole("heading", { level: 1, name: "Another one" })).toBeVisible();
  await expect(page.getByRole("radio", { name: "Refund to source" })).toBeChecked();
  await expect(send(page)).toHaveAttribute("aria-disabled", "false");
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await hub.wait(first.id);
  expect((await hub.read(second.id)).status).toBe("pending");
  await send(page).click();
  expect((await hub.wait(second.id)).status).toBe("answered");
});

test("a card leaves the inbox on the reply alone, when the feed says nothing", async ({ page, hub, ask }) => {
  await page.route("**/v1/events", (route) => route.abort("connectionrefused"));
  await page.route("**/v1/sync?**", (route) => route.abort("connectionrefused"));
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.getByRole("radio", { name: "Store credit" }).click();
  await send(page).click();
  await expect(page.getByRole("main").getByText("You answered")).toBeVisible();
  await expect(page).toHaveTitle("askhub");
  expect((await hub.read(call.id)).status).toBe("answered");
});

test("an answered card does not come back with a list that was on its way before", async ({ page, hub, ask }) => {
  const call = await ask(CHOICE);
  await ask({ ...TEXT, title: "Stays" });
  await openCall(page, call);
  await expect(page.getByRole("link", { name: /Stays/ })).toBeVisible();
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  const stale = page.waitForResponse("**/v1/calls?status=pending**");
  await page.route("**/v1/calls?status=pending**", async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  const asked = page.waitForRequest("**/v1/calls?status=pending**");
  await page.getByRole("button", { name: "Live", exact: true }).click();
  await asked;
  await page.getByRole("radio", { name: "Store credit" }).click();
  await send(page).click();
  await hub.wait(call.id);
  await expect(page).toHaveTitle("(1) askhub");
  release();
  await stale;
  await page.keyboard.press(".");
  await expect(page).toHaveTitle("(1) askhub");
  await expect(page.locator("#list a[data-row]").filter({ hasText: /Refund path/ })).toHaveCount(0);
});

test("twenty arrivals and a feed that reconnects leave text and caret alone", async ({ page, ask, context }) => {
  const call = await ask(TEXT);
  await openCall(page, call);
  const field = page.getByRole("textbox", { name: "What should it say?" });
  await field.fill("in the middle of a word");
  await field.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(7, 7));
  await context.setOffline(true);
  await context.setOffline(false);
  for (let one = 0; one < 20; one++) await ask({ ...TEXT, title: `Arrival ${one}` });
  await expect(page).toHaveTitle("(21) askhub");
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("in the middle of a word");
  expect(await field.evaluate((element: HTMLTextAreaElement) => element.selectionStart)).toBe(7);
});

test("labels with commas, quotes and line ends arrive exactly as they were asked", async ({ page, hub, ask }) => {
  const labels = ['a, b, "c"', "line\nend", "  spaced  ", "a, b"];
  const call = await ask({
    title: "Labels",
    questions: [{ question: "Which?", multi_select: true, options: labels.map((label) => ({ label })) }],
  });
  await openCall(page, call);
  for (const box of await page.getByRole("checkbox").all()) {
    if ((await box.getAttribute("aria-labelledby")) !== "label-0-own") await box.check();
  }
  await send(page).click();
  const settled = (await hub.wait(call.id)) as unknown as { outcome: { answers: { selected: { label: string }[] }[] } };
  expect(settled.outcome.answers[0]?.selected.map((one) => one.label)).toEqual(labels);
});

test("a call with nothing but a question is shown, counted and answered", async ({ page, hub, ask }) => {
  const call = await ask({ questions: [{ question: "Only this?" }] });
  await page.goto("./");
  await expect(page).toHaveTitle("(1) askhub");
  await page.getByRole("link", { name: /Only this/ }).click();
  await page.getByRole("textbox", { name: "Only this?" }).fill("Yes, only this");
  await send(page).click();
  expect((await hub.wait(call.id)).outcome?.answers[0]?.custom).toBe("Yes, only this");
});

test("all devices show the same calls in the same order, after a reload too", async ({ page, ask, ana }) => {
  for (const title of ["One", "Two", "Three"]) await ask({ ...TEXT, title });
  await page.goto("./");
  const rows = page.locator("#list a[data-row] .title");
  await expect(rows).toHaveText(["One", "Two", "Three"]);
  await page.reload();
  await expect(rows).toHaveText(["One", "Two", "Three"]);
  const other = await ana();
  await other.goto("./");
  await expect(other.locator("#list a[data-row] .title")).toHaveText(["One", "Two", "Three"]);
});
