// What happens elsewhere shows here at once, and never gets in the way.

import { CHOICE, expect, openCall, send, TEXT, test } from "./journey";

test("check 25: a more urgent call leaves the open one, the focus and the rows alone", async ({ page, ask }) => {
  const calm = await ask({ ...TEXT, title: "Calm one" });
  await ask({ ...TEXT, title: "Calm two" });
  await openCall(page, calm);
  const field = page.getByRole("textbox", { name: "What should it say?" });
  await field.fill("typing");
  await expect(page.locator("#list a[data-row]")).toHaveCount(2);
  const before = await page.locator("#list a[data-row]").allTextContents();
  await ask({ ...CHOICE, title: "Urgent one", priority: 95, timeout_seconds: 600 });
  await expect(page.getByRole("button", { name: /1 new/ })).toBeVisible();
  await expect(field).toBeFocused();
  await expect(page.getByRole("heading", { level: 1, name: "Calm one" })).toBeVisible();
  expect((await page.locator("#list a[data-row]").allTextContents()).map((row) => row.slice(0, 8))).toEqual(
    before.map((row) => row.slice(0, 8)),
  );
  await page.getByRole("button", { name: /1 new/ }).click();
  await expect(page.locator("#list a[data-row]").first()).toContainText("Urgent one");
});

test("check 28: rows under the pointer stay, and move after 30 s without input", async ({ page, hub, ask }) => {
  await page.clock.install();
  const calls = [];
  for (const name of ["One", "Two", "Three"]) calls.push(await ask({ ...TEXT, title: `Call ${name}` }));
  await page.goto("./");
  const rows = page.locator("#list a[data-row]");
  await expect(rows).toHaveCount(3);
  await rows.nth(1).hover();
  const place = await rows.nth(1).boundingBox();
  for (let urgent = 0; urgent < 5; urgent++) await ask({ ...TEXT, title: `Urgent ${urgent}`, priority: 99 });
  await hub.cancel(calls[0]?.id ?? "");
  await expect(page.getByRole("button", { name: /5 new/ })).toBeVisible();
  await expect(rows.first()).toContainText("No longer needed");
  await expect(rows.nth(1)).toContainText("Call Two");
  expect(await rows.nth(1).boundingBox()).toEqual(place);
  await page.clock.runFor(31_000);
  await expect(rows).toHaveCount(7);
  await expect(rows.first()).toContainText("Urgent 0");
});

test("check 40: saved turns into received when the agent has it", async ({ page, hub, ask }) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.getByRole("radio", { name: "Store credit" }).click();
  await send(page).click();
  const main = page.getByRole("main");
  await expect(main.getByText("Saved. billing-bot will get it when it reconnects.")).toBeVisible();
  await hub.acknowledge(call.id);
  await expect(main.getByText(/Received by billing-bot \d\d:\d\d:\d\d/)).toBeVisible();
});

test("after Send the next call opens, and a line says where the answer is", async ({ page, hub, ask }) => {
  const first = await ask(CHOICE);
  await ask({ ...CHOICE, title: "Second in line" });
  await openCall(page, first);
  await expect(page.getByRole("link", { name: /Second in line/ })).toBeVisible();
  await page.keyboard.press("1");
  await send(page).click();
  await expect(page.getByRole("heading", { level: 1, name: "Second in line" })).toBeFocused();
  const line = page.locator(".sent");
  await expect(line).toContainText("billing-bot will get it when it reconnects");
  await hub.wait(first.id);
  await expect(line).toContainText(/Received by billing-bot/);
});

test("check 33: the countdown follows the hub's clock, not the machine's", async ({ page, ask }) => {
  await page.clock.install({ time: new Date(Date.now() - 600_000) });
  const call = await ask({ ...CHOICE, timeout_seconds: 300 });
  await openCall(page, call);
  await expect(page.getByRole("timer")).toHaveText(/^(4:5\d|5:00) left$/);
});

test("check 34: the deadline can be moved, and the agent sees it", async ({ page, hub, ask }) => {
  const call = await ask({ ...CHOICE, timeout_seconds: 100 });
  await openCall(page, call);
  await expect(page.getByText("then the agent gets no answer")).toBeVisible();
  let before = Date.parse(call.expires_at ?? "");
  for (let press = 0; press < 3; press++) {
    await page.keyboard.press("+");
    await expect
      .poll(async () => Date.parse((await hub.read(call.id)).expires_at ?? ""))
      .toBeGreaterThan(before + 890_000);
    before = Date.parse((await hub.read(call.id)).expires_at ?? "");
    await expect(page.getByRole("button", { name: "Extend 15 min" })).toHaveAttribute("aria-disabled", "false");
  }
  await expect(page.getByRole("timer")).toHaveText(/4\d:\d\d left/);
});

test("a deadline that the agent cannot move is told so", async ({ page, ask }) => {
  const call = await ask({ ...CHOICE, timeout_seconds: 100, hard_deadline: true });
  await openCall(page, call);
  await expect(page.getByText("The agent cannot wait longer.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Extend 15 min" })).toHaveCount(0);
});

test("check 48: a short outage shows no banner, a long one does, and the first good reply clears it", async ({
  page,
  hub,
  ask,
  context,
}) => {
  await page.clock.install();
  await page.goto("./");
  await expect(page.getByRole("button", { name: "Live", exact: true })).toBeVisible();
  await expect(page.getByText("Nothing is waiting").first()).toBeVisible();
  let isDown = true;
  await context.route("**/v1/**", (route) => (isDown ? route.abort("connectionrefused") : route.continue()));
  // The stream that is open now goes silent: it is replaced, and the new one finds nobody.
  await page.clock.runFor(40_000);
  await expect(page.getByText("The hub does not reply.")).toBeVisible();
  isDown = false;
  await ask({ ...TEXT, title: "Asked meanwhile" });
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await expect(page.getByText("The hub does not reply.")).toBeHidden();
  await expect(page.getByRole("link", { name: /Asked meanwhile/ })).toBeVisible();
  await hub.cancelAll();
});

test("a list that could not be read is read again, although the stream is up", async ({ page, ask }) => {
  await ask(CHOICE);
  let refused = 0;
  await page.route("**/v1/calls?**", (route) => (refused++ < 1 ? route.abort("connectionreset") : route.continue()));
  await page.goto("./");
  await expect(page.getByRole("link", { name: /Refund path/ })).toBeVisible();
  expect(refused).toBeGreaterThan(1);
});

test("check 47: on coming back the gap is read at once, without waiting for the stream", async ({
  page,
  ask,
  context,
}) => {
  await page.goto("./");
  await expect(page.getByRole("button", { name: "Live", exact: true })).toBeVisible();
  await context.route("**/v1/events", () => {});
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  const synced = page.waitForResponse("**/v1/sync?*");
  await ask({ ...TEXT, title: "While asleep" });
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await synced;
  await expect(page.getByRole("link", { name: /While asleep/ })).toBeVisible();
});

test("being signed out says what to do and keeps the text", async ({ page, ask }) => {
  const call = await ask(TEXT);
  await openCall(page, call);
  await page.getByRole("textbox", { name: "What should it say?" }).fill("mine");
  await page.route("**/v1/**", (route) =>
    route.fulfill({
      status: 401,
      contentType: "application/problem+json",
      body: '{"status":401,"code":"unauthorized"}',
    }),
  );
  await send(page).click();
  await expect(page.getByText("Signed out: run askhub login")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "What should it say?" })).toHaveValue("mine");
});

test("Back and Forward walk through the calls, and a call answers after coming back", async ({ page, hub, ask }) => {
  const first = await ask(CHOICE);
  await ask({ ...TEXT, title: "Other call" });
  await page.goto("./");
  await page.getByRole("link", { name: /Refund path/ }).click();
  await page.getByRole("link", { name: /Other call/ }).click();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Refund path" })).toBeVisible();
  await page.goForward();
  await page.goBack();
  await expect(page.locator("#advance")).toHaveAttribute("aria-disabled", "false");
  await page.getByRole("radio", { name: "Store credit" }).click();
  await send(page).click();
  expect((await hub.wait(first.id)).status).toBe("answered");
});

test("history shows who answered what", async ({ page, hub, ask }) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.getByRole("radio", { name: "Store credit" }).click();
  await send(page).click();
  await hub.wait(call.id);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await expect(page).toHaveURL(/\/history$/);
  await page
    .getByRole("link", { name: /Refund path/ })
    .first()
    .click();
  await expect(page.getByRole("main").getByText("You answered")).toBeVisible();
  await expect(page.getByRole("main").getByText("Store credit").first()).toBeVisible();
});

test("check 67: with single keys off letters and digits do nothing, and Ctrl+Enter still sends", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys and settings" });
  await dialog.getByRole("checkbox", { name: "Single-key shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await page.keyboard.press("?");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("radio", { checked: true })).toHaveCount(0);
  await page.getByRole("radio", { name: "Store credit" }).click();
  await page.keyboard.press("Control+Enter");
  expect((await hub.wait(call.id)).status).toBe("answered");
});
