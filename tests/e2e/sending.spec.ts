// One decision is one answer, and only a deliberate act sends it.

import type { Page } from "@playwright/test";
import { CHOICE, expect, openCall, SEVERAL, send, TEXT, test } from "./journey";

function countPosts(page: Page): { answers: string[] } {
  const seen = { answers: [] as string[] };
  page.on("request", (request) => {
    if (request.method() === "POST") seen.answers.push(request.postData() ?? "");
  });
  return seen;
}

test("check 24: a double click sends once", async ({ page, hub, ask }) => {
  const call = await ask(CHOICE);
  const posts = countPosts(page);
  await openCall(page, call);
  await page.getByRole("radio", { name: "Store credit" }).click();
  await send(page).dblclick();
  await hub.wait(call.id);
  await expect(page.getByRole("main").getByText("You answered")).toBeVisible();
  expect(posts.answers).toHaveLength(1);
  expect((await hub.read(call.id)).late_answers_total).toBe(0);
});

test("check 24: a double Enter on Send, and Ctrl+Enter twice, send once and do not reach the next call", async ({
  page,
  hub,
  ask,
}) => {
  const first = await ask(CHOICE);
  const second = await ask({ ...CHOICE, title: "Another one" });
  const posts = countPosts(page);
  await openCall(page, first);
  await expect(page.getByRole("link", { name: /Another one/ })).toBeVisible();
  await page.keyboard.press("2");
  await send(page).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Another one" })).toBeVisible();
  await hub.wait(first.id);
  expect(posts.answers).toHaveLength(1);
  expect((await hub.read(second.id)).status).toBe("pending");
});

test("check 24: two tabs that send are one answer, and the second shows the outcome", async ({
  page,
  hub,
  ask,
  tab,
}) => {
  const call = await ask(CHOICE);
  const other = await tab();
  for (const each of [page, other]) await openCall(each, call);
  await page.getByRole("radio", { name: "Store credit" }).click();
  await expect(other.getByRole("radio", { name: "Store credit" })).toBeChecked();
  // Both requests are on their way before the hub sees the first, so the second tab cannot be warned.
  let bothSent = () => {};
  const both = new Promise<void>((done) => {
    bothSent = done;
  });
  const ids: string[] = [];
  await page.context().route("**/answer", async (route) => {
    ids.push(route.request().postDataJSON().answer_id);
    if (ids.length === 2) bothSent();
    await both;
    await route.continue();
  });
  await Promise.all([send(page).click(), send(other).click()]);
  for (const each of [page, other]) await expect(each.getByRole("main").getByText("You answered")).toBeVisible();
  const settled = await hub.read(call.id);
  expect(settled.outcome?.answers[0]?.selected).toMatchObject([{ id: "credit" }]);
  expect(settled.late_answers_total).toBe(0);
  expect(ids).toHaveLength(2);
  expect(ids[1]).toBe(ids[0]);
});

test("control: without the page's guard two requests do go out, and the answer id alone makes them one answer", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  const statuses = await page.evaluate(async (id) => {
    const body = JSON.stringify({
      answers: [{ id: "path", selected: ["refund"] }],
      answer_id: "control-of-the-double-send",
    });
    const post = () =>
      fetch(new URL(`v1/calls/${id}/answer`, document.baseURI), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
      }).then((reply) => reply.status);
    return Promise.all([post(), post()]);
  }, call.id);
  expect(statuses).toEqual([200, 200]);
  expect((await hub.read(call.id)).late_answers_total).toBe(0);
});

test("a reply lost after the hub took the answer is shown as answered, and nothing is sent again", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask(CHOICE);
  const posts = countPosts(page);
  await page.route("**/answer", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await openCall(page, call);
  await page.getByRole("radio", { name: "Refund to source" }).click();
  await send(page).click();
  await expect(page.getByRole("main").getByText("You answered")).toBeVisible();
  await expect(page.getByText("The hub did not reply")).toHaveCount(0);
  expect(posts.answers).toHaveLength(1);
  expect((await hub.read(call.id)).late_answers_total).toBe(0);
});

test("check 30: a slow answer to one call does not block another", async ({ page, hub, ask }) => {
  const slow = await ask(CHOICE);
  const quick = await ask({ ...TEXT, title: "Quick one" });
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(`**/${slow.id}/answer`, async (route) => {
    await held;
    await route.continue();
  });
  await openCall(page, slow);
  await page.getByRole("radio", { name: "Store credit" }).click();
  await send(page).click();
  await expect(page.getByRole("main").getByRole("button", { name: /Sending/ })).toBeVisible();
  await expect(page.getByRole("radio", { name: "Store credit" })).toBeChecked();
  await page.getByRole("link", { name: /Quick one/ }).click();
  await expect(send(page)).toHaveAttribute("aria-disabled", "false");
  await page.getByRole("textbox", { name: "What should it say?" }).fill("at once");
  await send(page).click();
  await hub.wait(quick.id);
  release();
  expect((await hub.wait(slow.id)).status).toBe("answered");
});

test("check 31: Esc never refuses, cancels or empties anything", async ({ page, hub, ask }) => {
  const call = await ask(SEVERAL);
  await openCall(page, call);
  await page.getByRole("radio", { name: "Beta" }).click();
  await page.keyboard.press("n");
  await page.keyboard.type("a note");
  for (let press = 0; press < 4; press++) await page.keyboard.press("Escape");
  await page.goto(`a/${call.id}`);
  await expect(page.getByLabel(/Note to ui-bot/)).toHaveValue("a note");
  await page.getByRole("button", { name: "Ask me differently" }).first().click();
  await page.getByRole("dialog").getByRole("textbox").fill("hm");
  for (let press = 0; press < 3; press++) await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect((await hub.read(call.id)).status).toBe("pending");
});

test("check 32: an Enter that an input method owns does not send or advance", async ({ page, hub, ask }) => {
  const call = await ask({ title: "Name", questions: [{ kind: "text", question: "Which name?" }] });
  await openCall(page, call);
  const field = page.getByRole("textbox", { name: "Which name?" });
  await field.fill("すし");
  const ended = await field.evaluate((element) => {
    const press = (init: KeyboardEventInit) =>
      element.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", code: "Enter", bubbles: true, cancelable: true, ...init }),
      );
    press({ isComposing: true });
    press({ isComposing: true, ctrlKey: true });
    press({ keyCode: 229 } as KeyboardEventInit);
    element.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true }));
    press({});
    press({ ctrlKey: true });
    return performance.now();
  });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("すし");
  // What follows the end of a composition at once still belongs to it.
  await page.waitForFunction((ended) => performance.now() - ended > 60, ended);
  expect((await hub.read(call.id)).status).toBe("pending");
  await field.press("Enter");
  await expect(page.locator("#advance")).toBeFocused();
  expect((await hub.read(call.id)).status).toBe("pending");
});

test("check 26: keys that hit a call as it opens choose and send nothing", async ({ page, hub, ask }) => {
  const first = await ask(CHOICE);
  await ask({ ...CHOICE, title: "Next in line" });
  await page.clock.install();
  await openCall(page, first);
  await expect(page.getByRole("link", { name: /Next in line/ })).toBeVisible();
  await page.clock.pauseAt(new Date(Date.now() + 3_600_000));
  await page.getByRole("link", { name: /Next in line/ }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Next in line" })).toBeVisible();
  for (let press = 0; press < 8; press++) {
    await page.keyboard.press("1");
    await page.keyboard.press("Control+Enter");
    await page.clock.runFor(50);
  }
  await expect(page.getByRole("radio", { checked: true })).toHaveCount(0);
  await page.clock.runFor(2_000);
  await page.keyboard.press("1");
  await expect(page.getByRole("radio", { name: "Refund to source" })).toBeChecked();
  expect((await hub.read(first.id)).status).toBe("pending");
});

test("check 27: the click that brings the window back does not send", async ({ page, hub, ask }) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.getByRole("radio", { name: "Store credit" }).click();
  await page.evaluate(() => {
    dispatchEvent(new Event("focus"));
    document.getElementById("advance")?.click();
  });
  await expect(page.locator("#advance")).toHaveAttribute("aria-disabled", "true");
  await expect(page.locator("#advance")).toHaveAttribute("aria-disabled", "false");
  expect((await hub.read(call.id)).status).toBe("pending");
  await send(page).click();
  expect((await hub.wait(call.id)).status).toBe("answered");
});
