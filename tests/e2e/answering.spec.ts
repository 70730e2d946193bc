// An agent asks, a person answers, the agent gets exactly that.

import { CHOICE, expect, openCall, SEVERAL, send, TEXT, test } from "./journey";

test("a call appears without a reload and is answered by mouse", async ({ page, hub, ask }) => {
  await page.goto("./");
  await expect(page.getByText("Nothing is waiting").first()).toBeVisible();
  const call = await ask(CHOICE);
  const waiting = hub.wait(call.id);
  await page.getByRole("link", { name: /Refund path/ }).click();
  await page.getByRole("radio", { name: "Store credit" }).click();
  await expect(page).toHaveTitle("(1) askhub");
  await expect(page.locator("#advance")).toHaveAttribute("aria-disabled", "false");
  await send(page).click();
  const settled = await waiting;
  expect(settled.outcome?.answers[0]).toMatchObject({ status: "answered", selected: [{ id: "credit" }], custom: null });
  await expect(page.getByRole("main").getByText("You answered")).toBeVisible();
  await expect(page.getByRole("main").getByText(/Received by billing-bot \d\d:\d\d:\d\d/)).toBeVisible();
  await expect(page).toHaveTitle("askhub");
});

test("a call is answered by keyboard only", async ({ page, hub, ask }) => {
  const call = await ask(CHOICE);
  await page.goto("./");
  await page.getByRole("link", { name: /Refund path/ }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Refund path" })).toBeFocused();
  await expect(page.locator("#advance")).toHaveAttribute("aria-disabled", "false");
  await page.keyboard.press("1");
  await page.keyboard.press("n");
  await expect(page.getByLabel(/Note to billing-bot/)).toBeFocused();
  await page.keyboard.type("EU first");
  await page.keyboard.press("Control+Enter");
  const settled = await hub.wait(call.id);
  expect(settled.outcome?.answers[0]).toMatchObject({ selected: [{ id: "refund" }], notes: "EU first" });
});

test("check 1: two questions are answered by keys and reviewed, and one request carries both", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask(SEVERAL);
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") posts.push(request.url());
  });
  await openCall(page, call);
  await page.keyboard.press("2");
  await page.keyboard.press("]");
  await page.keyboard.press("1");
  await page.keyboard.press("]");
  await expect(page.getByRole("tab", { name: "Review" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("tabpanel")).toContainText("Beta");
  await expect(page.getByRole("tabpanel")).toContainText("Gamma");
  await page.keyboard.press("Control+Enter");
  const settled = await hub.wait(call.id);
  expect(settled.outcome?.answers.map((answer) => answer.selected[0]?.id)).toEqual(["o2", "o1"]);
  expect(posts).toHaveLength(1);
});

test("check 2: choosing sends nothing", async ({ page, ask }) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") sent.push(request.url());
  });
  await page.getByRole("radio", { name: "Refund to source" }).click();
  await expect(page.getByRole("radio", { name: "Refund to source" })).toBeChecked();
  await page.getByRole("radio", { name: "Store credit" }).click();
  await expect(page.getByText(/Draft kept on this device/)).toBeVisible();
  expect(sent).toEqual([]);
});

test("check 4: own words are kept when an option is chosen, and go along as a note if wanted", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.getByText("In my own words").click();
  await expect(page.getByLabel("Own words", { exact: true })).toBeFocused();
  await page.keyboard.type("Ask finance first");
  await page.getByRole("radio", { name: "Refund to source" }).click();
  await expect(page.getByLabel("Own words", { exact: true })).toHaveValue("Ask finance first");
  await expect(page.getByText("Your text is kept, not sent")).toBeVisible();
  await page.getByRole("button", { name: "Send it as a note" }).click();
  await expect(page.getByLabel(/Note to billing-bot/)).toHaveValue("Ask finance first");
  await send(page).click();
  const settled = await hub.wait(call.id);
  expect(settled.outcome?.answers[0]).toMatchObject({
    selected: [{ id: "refund" }],
    custom: null,
    notes: "Ask finance first",
  });
});

test("check 4: Review offers a kept text as a note, and No sends the choice alone", async ({ page, hub, ask }) => {
  const call = await ask(SEVERAL);
  await openCall(page, call);
  await page.keyboard.press("0");
  await page.keyboard.type("Neither");
  await page.getByRole("radio", { name: "Alpha" }).click();
  await page.getByRole("tab", { name: "Review" }).click();
  const review = page.getByRole("tabpanel");
  await expect(review.getByText("Your text is kept, not sent")).toBeVisible();
  await review.getByRole("button", { name: "No", exact: true }).click();
  await expect(review.getByText("Your text is kept, not sent")).toBeHidden();
  await send(page).click();
  const settled = await hub.wait(call.id);
  expect(settled.outcome?.answers[0]).toMatchObject({ selected: [{ id: "o1" }], custom: null, notes: null });
});

test("checks 5 and 6: another question and back leaves choice, text and caret, and no text crosses over", async ({
  page,
  ask,
}) => {
  const call = await ask({
    title: "Words",
    questions: [
      { id: "a", header: "A", kind: "text", question: "First words?", multiline: true },
      { id: "b", header: "B", kind: "text", question: "Other words?", multiline: true },
    ],
  });
  await openCall(page, call);
  const first = page.getByRole("textbox", { name: "First words?" });
  await first.fill("one two three");
  await first.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(4, 7));
  await page.getByRole("tab", { name: "B" }).click();
  await expect(page.getByRole("textbox", { name: "Other words?" })).toHaveValue("");
  await page.getByRole("tab", { name: /^A/ }).click();
  await expect(first).toHaveValue("one two three");
  const selection = await first.evaluate((field: HTMLTextAreaElement) => [field.selectionStart, field.selectionEnd]);
  expect(selection).toEqual([4, 7]);
});

test("check 7: too many choices are told in words, and none is dropped", async ({ page, ask }) => {
  const call = await ask({
    title: "Regions",
    questions: [
      {
        question: "Which regions?",
        multi_select: true,
        min_selected: 1,
        max_selected: 2,
        allow_custom: false,
        options: [{ label: "North" }, { label: "South" }, { label: "West" }],
      },
    ],
  });
  await openCall(page, call);
  for (const name of ["North", "South", "West"]) await page.getByRole("checkbox", { name }).click();
  await expect(page.getByText("Choose at most 2: 3 are chosen.")).toBeVisible();
  for (const name of ["North", "South", "West"]) await expect(page.getByRole("checkbox", { name })).toBeChecked();
  await send(page).click();
  expect((await page.request.get(`v1/calls/${call.id}`).then((reply) => reply.json())).status).toBe("pending");
});

test("check 12: a recommended option is marked, not chosen, and stays where the agent put it", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask({
    title: "Order",
    questions: [
      { question: "Which?", options: [{ label: "Plain" }, { label: "Better", recommended: true }, { label: "Last" }] },
    ],
  });
  await openCall(page, call);
  const labels = await page
    .getByRole("radio")
    .evaluateAll((radios) =>
      radios.map((radio) => document.getElementById(radio.getAttribute("aria-labelledby") ?? "")?.textContent),
    );
  expect(labels).toEqual(["Plain", "Better", "Last", "In my own words"]);
  await expect(page.getByText("Recommended")).toBeVisible();
  await expect(page.getByRole("radio", { checked: true })).toHaveCount(0);
  await send(page).click();
  await expect(page.getByRole("main").getByText("Nothing is answered yet. Answer, or skip it.")).toBeVisible();
  expect((await hub.read(call.id)).status).toBe("pending");
});

test("check 13: ask me differently carries what was filled in so far", async ({ page, hub, ask }) => {
  const call = await ask(SEVERAL);
  await openCall(page, call);
  await page.getByRole("radio", { name: "Beta" }).click();
  await page.getByRole("button", { name: "Ask me differently" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("Say what each one costs");
  await dialog.getByRole("button", { name: "Ask me differently" }).click();
  const settled = await hub.wait(call.id);
  expect(settled.outcome).toMatchObject({ status: "declined", clarify: true, reason: "Say what each one costs" });
  expect(settled.outcome?.answers[0]).toMatchObject({ selected: [{ id: "o2" }] });
});

test("a multiple choice takes own words too, typed right after the click", async ({ page, hub, ask }) => {
  const options = [{ label: "North" }, { label: "South" }];
  const call = await ask({ title: "Regions", questions: [{ question: "Which?", multi_select: true, options }] });
  await openCall(page, call);
  await page.getByRole("checkbox", { name: "South" }).click();
  await page.getByRole("checkbox", { name: "And in my own words" }).click();
  await page.keyboard.type("n and Oslo");
  await send(page).click();
  expect((await hub.wait(call.id)).outcome?.answers[0]).toMatchObject({
    selected: [{ id: "o2" }],
    custom: "n and Oslo",
  });
});

test("a confirmation is answered with the agent's own verbs, and nothing is chosen before", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask({
    title: "Index",
    questions: [{ kind: "confirm", question: "Drop it?", yes_label: "Drop the index", no_label: "Keep it" }],
  });
  await openCall(page, call);
  await expect(page.getByRole("radio", { checked: true })).toHaveCount(0);
  await page.keyboard.press("2");
  await expect(page.getByRole("radio", { name: "Keep it" })).toBeChecked();
  await page.keyboard.press("Control+Enter");
  expect((await hub.wait(call.id)).outcome?.answers[0]?.selected).toMatchObject([{ id: "no" }]);
});

test("a question may be skipped, and that is told apart from an answer", async ({ page, hub, ask }) => {
  const call = await ask(TEXT);
  await openCall(page, call);
  await page.getByRole("button", { name: "Skip", exact: true }).click();
  await expect(page.getByText("Left out: the agent is told")).toBeVisible();
  await send(page).click();
  expect((await hub.wait(call.id)).outcome?.answers[0]).toMatchObject({ status: "skipped", custom: null });
});

test("check 14: nothing decisive is cut", async ({ page, ask }) => {
  const long = Array.from({ length: 40 }, (_, line) => `Line ${line + 1} of the question`).join("\n");
  const preview = Array.from({ length: 500 }, (_, line) => `preview line ${line + 1}`).join("\n");
  const call = await ask({
    title: "Long",
    questions: [
      { question: long, options: [{ label: "x".repeat(900), preview, preview_format: "text" }, { label: "Short" }] },
    ],
  });
  await openCall(page, call);
  await expect(page.getByRole("heading", { name: /Line 40 of the question/ })).toBeVisible();
  await page.getByRole("button", { name: "Show all 500 lines" }).click();
  await expect(page.getByText("preview line 500")).toBeVisible();
  const cut = await page.getByRole("main").evaluate(
    (main) =>
      [...main.querySelectorAll("article *")].filter((element) => {
        const style = getComputedStyle(element);
        return style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      }).length,
  );
  expect(cut).toBe(0);
});

test("an empty inbox offers a sample, and answering it works like any other", async ({ page, hub }) => {
  await page.goto("./");
  await page.getByRole("button", { name: "Send a sample question" }).click();
  await expect(page.getByRole("heading", { level: 1, name: /Sample/ })).toBeFocused();
  await page.getByRole("radio", { name: /Rolling/ }).click();
  await page.getByRole("tab", { name: "Review" }).click();
  await send(page).click();
  await expect(page.getByRole("main").getByText("You answered")).toBeVisible();
  await hub.cancelAll();
});
