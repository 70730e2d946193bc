// Without a connection: what was sent is kept, and goes out once.

import { CHOICE, expect, openCall, test } from "./journey";

test("check 49: an answer given offline is kept, outlives a look elsewhere, and is sent once", async ({
  page,
  context,
  hub,
  ask,
}) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.keyboard.press("2");
  await context.setOffline(true);
  const send = page.getByRole("button", { name: "Send when online" });
  await expect(send).toBeVisible();
  await send.click();
  await expect(page.getByRole("status")).toHaveText("Kept here, and sent when you are back online");
  await expect(page.getByRole("radio", { name: "Store credit" })).toBeChecked();
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/answer")) posts.push(request.postData() ?? "");
  });
  await context.setOffline(false);
  const settled = await hub.wait(call.id);
  expect(settled.outcome?.answers[0]?.selected[0]?.id).toBe("credit");
  await expect(page.getByRole("main").getByText("You answered")).toBeVisible();
  expect(posts).toHaveLength(1);
  expect((await hub.read(call.id)).late_answers_total).toBe(0);
});

test("check 49: what was kept may be edited on, and somebody else may be faster", async ({
  page,
  context,
  ana,
  hub,
  ask,
}) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.keyboard.press("2");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Send when online" }).click();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await page.keyboard.press("n");
  await page.keyboard.type("but only once");
  await page.getByRole("button", { name: "Send when online" }).click();
  await expect(page.getByRole("status")).toBeVisible();
  const other = await ana();
  await openCall(other, call);
  await other.keyboard.press("1");
  await other.keyboard.press("Control+Enter");
  await hub.wait(call.id);
  await context.setOffline(false);
  await expect(page.getByRole("main").getByText("Ana answered").first()).toBeVisible();
  await expect.poll(async () => (await hub.read(call.id)).late_answers_total).toBe(1);
  const late = (await hub.read(call.id)).late_answers[0];
  expect(late?.outcome.answers[0]).toMatchObject({ selected: [{ id: "credit" }], notes: "but only once" });
});

test("an answer that waits for a connection goes out after the page was closed too", async ({
  tab,
  context,
  hub,
  ask,
}) => {
  const call = await ask(CHOICE);
  const page = await tab();
  await openCall(page, call);
  await page.keyboard.press("1");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Send when online" }).click();
  await expect(page.getByRole("status")).toBeVisible();
  await page.close();
  await context.setOffline(false);
  const again = await tab();
  await again.goto("./");
  expect((await hub.wait(call.id)).outcome?.answers[0]?.selected[0]?.id).toBe("refund");
});
