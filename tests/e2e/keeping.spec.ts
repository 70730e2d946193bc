// What a person typed is never lost, by any path.

import { CHOICE, expect, openCall, SEVERAL, send, TEXT, test } from "./journey";

const WORDS = "Three hundred characters, or nearly so. ".repeat(8).trim();

test("check 15: a reload right after the last key keeps the text", async ({ page, ask }) => {
  const call = await ask(TEXT);
  await openCall(page, call);
  const field = page.getByRole("textbox", { name: "What should it say?" });
  await field.fill(WORDS);
  await field.press("End");
  await page.keyboard.type("!");
  await page.reload();
  await expect(field).toHaveValue(`${WORDS}!`);
});

test("check 16: closing the tab and coming back by the link keeps text, tab and choices", async ({
  page,
  ask,
  tab,
}) => {
  const call = await ask(SEVERAL);
  await openCall(page, call);
  await page.getByRole("radio", { name: "Beta" }).click();
  await page.keyboard.press("]");
  await page.keyboard.press("0");
  await page.keyboard.type("Neither of them");
  const closed = page.waitForEvent("close");
  await page.close({ runBeforeUnload: true });
  await closed;
  const again = await tab();
  await openCall(again, call);
  await expect(again.getByRole("tab", { name: /^Second/ })).toHaveAttribute("aria-selected", "true");
  await expect(again.getByLabel("Own words", { exact: true })).toHaveValue("Neither of them");
  await again.getByRole("tab", { name: /^First/ }).click();
  await expect(again.getByRole("radio", { name: "Beta" })).toBeChecked();
});

test("drafts are kept where IndexedDB is blocked", async ({ page, ask }) => {
  await page.addInitScript(() => Object.defineProperty(window, "indexedDB", { value: undefined }));
  const call = await ask(TEXT);
  await openCall(page, call);
  const field = page.getByRole("textbox", { name: "What should it say?" });
  await field.fill("still here");
  await page.reload();
  await expect(field).toHaveValue("still here");
});

for (const becomes of ["is never committed", "is refused"]) {
  test(`a draft whose write to IndexedDB ${becomes} outlives a reload`, async ({ page, ask }) => {
    await page.addInitScript((isRefused) => {
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (...values) {
        document.documentElement.dataset.put = JSON.stringify(values[0]);
        if (isRefused) throw new DOMException("no room", "QuotaExceededError");
        // The transaction is kept busy until the page goes away, which undoes it.
        const busy = () => {
          this.get("nothing").onsuccess = busy;
        };
        busy();
        return put.apply(this, values);
      };
    }, becomes === "is refused");
    const call = await ask(TEXT);
    await openCall(page, call);
    const field = page.getByRole("textbox", { name: "What should it say?" });
    await field.fill("on its way");
    await expect(page.locator("html")).toHaveAttribute("data-put", /on its way/);
    await page.reload();
    await expect(field).toHaveValue("on its way");
  });
}

test("check 17: a failed send keeps every field, and Retry sends the same answer id", async ({ page, hub, ask }) => {
  const call = await ask(CHOICE);
  const bodies: string[] = [];
  await page.route("**/answer", async (route) => {
    bodies.push(route.request().postData() ?? "");
    if (bodies.length > 1) return route.continue();
    return route.fulfill({
      status: 500,
      contentType: "application/problem+json",
      body: '{"status":500,"code":"internal"}',
    });
  });
  await openCall(page, call);
  await page.getByRole("radio", { name: "Store credit" }).click();
  await page.getByRole("button", { name: "Add a note" }).click();
  await page.getByLabel(/Note to billing-bot/).fill("please");
  await send(page).click();
  await expect(page.getByRole("alert")).toContainText("The hub failed (500)");
  await expect(page.getByRole("radio", { name: "Store credit" })).toBeChecked();
  await expect(page.getByLabel(/Note to billing-bot/)).toHaveValue("please");
  await page.getByRole("button", { name: "Retry" }).click();
  expect((await hub.wait(call.id)).outcome?.answers[0]).toMatchObject({
    selected: [{ id: "credit" }],
    notes: "please",
  });
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toBe(bodies[0]);
});

test("a refused body gets a new answer id only when it is changed", async ({ page, hub, ask }) => {
  const call = await ask(TEXT);
  const ids: string[] = [];
  await page.route("**/answer", async (route) => {
    ids.push(route.request().postDataJSON().answer_id);
    if (ids.length > 2) return route.continue();
    const errors = [{ pointer: "/answers/0/custom", detail: "the hub does not like it" }];
    return route.fulfill({
      status: 422,
      contentType: "application/problem+json",
      body: JSON.stringify({ status: 422, code: "invalid", detail: "not valid", errors }),
    });
  });
  await openCall(page, call);
  const field = page.getByRole("textbox", { name: "What should it say?" });
  await field.fill("one");
  await send(page).click();
  await expect(page.getByRole("main").getByText("The hub does not like it.")).toBeVisible();
  await expect(field).toHaveValue("one");
  await send(page).click();
  await expect.poll(() => ids.length).toBe(2);
  await expect(page.getByRole("button", { name: "Retry" })).toBeVisible();
  await field.fill("two");
  await send(page).click();
  await hub.wait(call.id);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test("check 18: a call that expires while I type leaves text, focus and caret, and can be answered late", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask({ ...TEXT, timeout_seconds: 2, hard_deadline: true });
  await openCall(page, call);
  const field = page.getByRole("textbox", { name: "What should it say?" });
  await field.fill("half a thought");
  await field.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(5, 6));
  await expect(page.getByRole("main").getByText("Time ran out")).toBeVisible();
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("half a thought");
  expect(await field.evaluate((element: HTMLTextAreaElement) => element.selectionStart)).toBe(5);
  await expect(page.getByRole("button", { name: "Copy my answer" })).toBeVisible();
  await send(page).click();
  await expect(page.getByRole("main").getByText("Your answer came later and is kept beside it")).toBeVisible();
  const read = await hub.read(call.id);
  expect(read.outcome).toMatchObject({ status: "expired", provenance: "clock" });
  expect(read.late_answers_total).toBe(1);
});

test("check 36: an expiry with a declared default names it and calls it nobody's answer", async ({ page, ask }) => {
  const call = await ask({
    ...CHOICE,
    timeout_seconds: 2,
    on_timeout: { answers: [{ id: "path", selected: ["credit"] }] },
  });
  await openCall(page, call);
  await expect(page.getByText("then “Store credit”")).toBeVisible();
  await expect(page.getByText("declared default: “Store credit”")).toBeVisible();
  await expect(page.getByRole("main").getByText(/answered \d/)).toHaveCount(0);
});

test("check 19: another person's answer stands beside mine, and mine can be copied", async ({
  page,
  ask,
  ana,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.getByRole("button", { name: "Add a note" }).click();
  const note = page.getByLabel(/Note to billing-bot/);
  await note.fill("my own thought");
  const other = await ana();
  await openCall(other, call);
  await other.getByRole("radio", { name: "Store credit" }).click();
  await send(other).click();
  const main = page.getByRole("main");
  await expect(main.getByText("Ana answered")).toBeVisible();
  await expect(main.locator(".banner").getByText("Store credit")).toBeVisible();
  await expect(note).toHaveValue("my own thought");
  await expect(note).toBeFocused();
  await page.getByRole("button", { name: "Copy my answer" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("my own thought");
});

test("check 20: a call withdrawn while I type keeps the text and says why", async ({ page, hub, ask }) => {
  const call = await ask(TEXT);
  await openCall(page, call);
  const field = page.getByRole("textbox", { name: "What should it say?" });
  await field.fill("nearly done");
  await hub.cancel(call.id, "found it in the docs");
  await expect(page.getByRole("main").getByText("docs-bot no longer needs an answer")).toBeVisible();
  await expect(page.getByText("found it in the docs")).toBeVisible();
  await expect(field).toHaveValue("nearly done");
  await expect(field).toBeFocused();
});

test("check 22: two tabs share a draft, but never into the field with the caret", async ({ page, ask, tab }) => {
  const call = await ask(TEXT);
  const other = await tab();
  await openCall(page, call);
  await openCall(other, call);
  const here = page.getByRole("textbox", { name: "What should it say?" });
  const there = other.getByRole("textbox", { name: "What should it say?" });
  await here.fill("from the first tab");
  await expect(there).toHaveValue("from the first tab");
  await there.focus();
  await here.fill("from the first tab again");
  await expect(page.getByText(/Draft kept/)).toBeVisible();
  await expect(there).toHaveValue("from the first tab");
  await there.blur();
  await expect(there).toHaveValue("from the first tab again");
});

test("discarding a draft takes two presses, and nothing else ends it", async ({ page, hub, ask }) => {
  const call = await ask(TEXT);
  await openCall(page, call);
  const field = page.getByRole("textbox", { name: "What should it say?" });
  await field.fill("keep me");
  await hub.cancel(call.id);
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(field).toHaveValue("keep me");
  await page.getByRole("button", { name: "Discard for good?" }).click();
  await expect(field).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("main").getByText("docs-bot no longer needs an answer")).toBeVisible();
  await expect(field).toHaveCount(0);
});
