// Taking an answer back, and working beside colleagues.

import { CHOICE, expect, openCall, SEVERAL, send, TEXT, test } from "./journey";

test.describe("with an undo window of five seconds", () => {
  test.use({ undoSeconds: 5 });

  test("check 38: u takes the answer back with everything in it, and the agent got nothing", async ({
    page,
    hub,
    ask,
  }) => {
    const call = await ask(CHOICE);
    await openCall(page, call);
    await page.keyboard.press("1");
    await page.keyboard.press("n");
    await page.keyboard.type("EU first");
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("status")).toHaveText(/Sending in [1-5] s/);
    await expect(page).toHaveTitle("askhub");
    expect((await hub.read(call.id)).outcome).toBeNull();
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("u");
    await expect(page.getByText("Sending in")).toHaveCount(0);
    await expect(page.getByRole("radio", { name: "Refund to source" })).toBeChecked();
    await expect(page.getByLabel(/Note to billing-bot/)).toHaveValue("EU first");
    expect((await hub.read(call.id)).held).toBeNull();
    await page.getByRole("radio", { name: "Store credit" }).click();
    await expect(page.locator("#advance:not([aria-disabled=true])")).toBeVisible();
    await send(page).click();
    const settled = await hub.wait(call.id);
    expect(settled.outcome?.answers[0]).toMatchObject({ selected: [{ id: "credit" }], notes: "EU first" });
    expect(settled.late_answers_total).toBe(0);
  });

  test("check 38: while the next call is open, a line leads back to the one that is being sent", async ({
    page,
    hub,
    ask,
  }) => {
    const call = await ask(CHOICE);
    await ask(TEXT);
    await page.goto("./");
    await page.getByRole("link", { name: /Refund path/ }).click();
    await expect(page.locator("#advance:not([aria-disabled=true])")).toBeVisible();
    await page.keyboard.press("2");
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("heading", { level: 1, name: "Release note" })).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Refund path" })).toBeVisible();
    await expect(page.getByRole("radio", { name: "Store credit" })).toBeChecked();
    expect((await hub.read(call.id)).status).toBe("pending");
  });

  test("check 39: closing the tab at once loses nothing: the hub sends the answer", async ({ tab, hub, ask }) => {
    const call = await ask(CHOICE);
    const page = await tab();
    await openCall(page, call);
    await page.keyboard.press("1");
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("status")).toHaveText(/Sending in/);
    await page.close();
    expect((await hub.wait(call.id)).outcome?.answers[0]?.selected[0]?.id).toBe("refund");
  });

  test("ask me differently can be taken back too, and a reload keeps the window", async ({ page, hub, ask }) => {
    const call = await ask(CHOICE);
    await openCall(page, call);
    await page.getByRole("button", { name: "Ask me differently" }).first().click();
    await page.getByRole("textbox", { name: "What is missing" }).fill("Which currency?");
    await page.getByRole("dialog").getByRole("button", { name: "Ask me differently" }).click();
    await expect(page.getByRole("status")).toHaveText(/Sending in/);
    await page.reload();
    await page.getByRole("main").getByRole("button", { name: "Undo" }).click();
    await expect(page.locator("#advance:not([aria-disabled=true])")).toBeVisible();
    expect((await hub.read(call.id)).status).toBe("pending");
  });

  test("a colleague sees that an answer is on its way, and an own one is refused with words", async ({
    page,
    ana,
    hub,
    ask,
  }) => {
    const call = await ask(CHOICE);
    const other = await ana();
    await openCall(page, call);
    await openCall(other, call);
    await other.keyboard.press("2");
    await page.keyboard.press("1");
    await page.keyboard.press("Control+Enter");
    await expect(other.getByText("The answer of owner is about to be sent")).toBeVisible();
    await other.keyboard.press("Control+Enter");
    await expect(other.locator(".failure")).toContainText("Somebody else's answer is about to be sent.");
    await expect(other.getByRole("radio", { name: "Store credit" })).toBeChecked();
    expect((await hub.wait(call.id)).outcome?.by?.name).toBe("owner");
    await expect(other.locator(".banner").getByText("owner answered")).toBeVisible();
  });
});

test("somebody who writes is shown to colleagues, by name and never with the text", async ({ page, ana, hub, ask }) => {
  const call = await ask(TEXT);
  const other = await ana();
  await openCall(page, call);
  await openCall(other, call);
  await other.getByRole("textbox").first().fill("A secret draft");
  await expect(page.getByText("Ana is answering")).toBeVisible();
  await expect(page.getByText("A secret draft")).toHaveCount(0);
  await expect(page.getByRole("link", { name: /Release note/ })).toContainText("Ana");
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByRole("button", { name: "Take it over?" }).click();
  await expect(other.getByText("owner is answering")).toBeVisible();
  await expect(other.getByRole("textbox").first()).toHaveValue("A secret draft");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("c");
  await expect(other.getByText("owner is answering")).toHaveCount(0);
  expect((await hub.read(call.id)).claim).toBeNull();
});

test("leaving a call gives it back, and who tells nobody claims nothing", async ({ page, ana, hub, ask }) => {
  const call = await ask(TEXT);
  const other = await ana();
  await openCall(other, call);
  await other.getByRole("textbox").first().fill("x");
  await openCall(page, call);
  await expect(page.getByText("Ana is answering")).toBeVisible();
  await other.getByRole("link", { name: "Inbox" }).first().click();
  await expect(page.getByText("Ana is answering")).toHaveCount(0);
  await page.getByRole("button", { name: "Keys and settings" }).click();
  await page.getByRole("checkbox", { name: /Tell colleagues/ }).uncheck();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("textbox").first().fill("quietly");
  await expect(page.getByText("Draft kept on this device")).toBeVisible();
  expect((await hub.read(call.id)).claim).toBeNull();
});

test("check 35: writing keeps the deadline off, and a hard deadline says that it does not", async ({
  page,
  hub,
  ask,
}) => {
  const soft = await ask({ ...TEXT, timeout_seconds: 30 });
  await openCall(page, soft);
  await page.getByRole("textbox").first().fill("Still writing");
  const later = async () => Date.parse((await hub.read(soft.id)).expires_at ?? "") - Date.parse(soft.expires_at ?? "");
  await expect.poll(later).toBeGreaterThan(20_000);
  const hard = await ask({ ...SEVERAL, timeout_seconds: 60, hard_deadline: true });
  await openCall(page, hard);
  await page.keyboard.press("n");
  await page.keyboard.type("Still writing");
  await expect.poll(async () => (await hub.read(hard.id)).claim?.by.name).toBe("owner");
  expect((await hub.read(hard.id)).expires_at).toBe(hard.expires_at);
  await expect(page.getByText("The agent cannot wait longer.")).toBeVisible();
});
