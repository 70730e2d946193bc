// Values that are filled in: numbers, days, times, forms.

import AxeBuilder from "@axe-core/playwright";
import { expect, openCall, send, test } from "./journey";

const FORM = {
  title: "Vendor form",
  agent: { name: "billing-bot" },
  questions: [
    {
      id: "vendor",
      question: "Who is ACME?",
      schema: {
        type: "object",
        required: ["name", "size"],
        properties: {
          name: { type: "string", title: "Full name", minLength: 2, description: "As in <b>papers</b>" },
          size: { type: "integer", minimum: 1, maximum: 5000 },
          mail: { type: "string", format: "email" },
          plan: { type: "string", title: "Plan", enum: ["s", "l"], enumNames: ["Small", "Large"] },
          country: { type: "string", enum: ["AT", "CH", "DE", "FR", "IT", "NL"] },
          days: { type: "array", title: "Days", items: { enum: ["Mon", "Tue", "Wed"] }, maxItems: 2 },
          terms: { type: "boolean", title: "Terms accepted" },
          code: { type: "string", default: "K-1", pattern: "^K" },
        },
      },
    },
  ],
};

function asking(question: object) {
  return {
    title: "Some value",
    agent: { name: "ops-bot" },
    questions: [{ id: "q", question: "How much?", ...question }],
  };
}

test.describe("in German", () => {
  test.use({ locale: "de-DE" });

  test("check 8: a number is written as people write it there, and sent with all its digits", async ({
    page,
    hub,
    ask,
  }) => {
    const call = await ask(asking({ kind: "number", unit: "EUR" }));
    await openCall(page, call);
    const field = page.getByRole("textbox", { name: "How much?" });
    await field.fill("1.234,5");
    await expect(page.getByText("Sent as 1234.5")).toBeVisible();
    await page.reload();
    await expect(field).toHaveValue("1.234,5");
    await expect(page.locator("#advance:not([aria-disabled=true])")).toBeVisible();
    await send(page).click();
    const settled = await hub.wait(call.id);
    expect(settled.outcome?.answers[0]?.value).toBe(1234.5);
    await expect(page.getByRole("main").getByText("1234.5 EUR")).toBeVisible();
  });
});

test("check 8: what could be two numbers is asked for again, and nothing is sent", async ({ page, hub, ask }) => {
  const call = await ask(asking({ kind: "number", minimum: 5 }));
  await openCall(page, call);
  const field = page.getByRole("textbox", { name: "How much?" });
  await field.fill("1,5");
  await send(page).click();
  await expect(page.locator("#fault-0")).toContainText("This is no number, or could be two");
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("1,5");
  await field.fill("1.50");
  await send(page).click();
  await expect(page.locator("#fault-0")).toContainText("The answer is at least 5");
  await field.fill("1500.50");
  await field.blur();
  await expect(field).toHaveValue("1,500.50");
  await send(page).click();
  expect((await hub.wait(call.id)).outcome?.answers[0]?.value).toBe(1500.5);
});

test.describe("in Tokyo", () => {
  test.use({ timezoneId: "Asia/Tokyo", locale: "en-GB" });

  test("check 9: a time shows my zone and the agent's, and leaves with its offset", async ({ page, hub, ask }) => {
    const body = asking({ kind: "datetime" });
    const call = await ask({ ...body, agent: { name: "ops-bot", time_zone: "Europe/Berlin" } });
    await openCall(page, call);
    const field = page.getByLabel("How much?");
    await field.fill("2026-11-30T22:00");
    const zone = page.getByRole("combobox", { name: "Time zone" });
    await expect(zone).toHaveValue("Asia/Tokyo");
    await expect(page.getByText("For ops-bot that is 30 Nov 2026, 14:00 in Europe/Berlin.")).toBeVisible();
    await zone.selectOption("Europe/Berlin");
    await expect(field).toHaveValue("2026-11-30T22:00");
    await expect(page.getByText("For you that is 1 Dec 2026, 06:00 in Asia/Tokyo.")).toBeVisible();
    await send(page).click();
    expect((await hub.wait(call.id)).outcome?.answers[0]?.value).toBe("2026-11-30T22:00:00+01:00");
  });

  test("a day is chosen with one press, and one out of range is told by the hub", async ({ page, hub, ask }) => {
    const call = await ask(asking({ kind: "date", minimum: "2026-01-01" }));
    await openCall(page, call);
    await expect(page.getByText("2026-01-01 or later")).toBeVisible();
    await page.getByLabel("How much?").fill("2025-12-31");
    await send(page).click();
    await expect(page.locator("#fault-0")).toContainText("The answer is 2026-01-01 or later.");
    await page.getByRole("button", { name: "Tomorrow" }).click();
    await send(page).click();
    expect((await hub.wait(call.id)).outcome?.answers[0]?.value).toMatch(/^20\d\d-\d\d-\d\d$/);
  });
});

test("check 10: a form with two faults focuses the first and lists both as links", async ({ page, hub, ask }) => {
  const call = await ask(FORM);
  await openCall(page, call);
  await expect(page.getByRole("textbox", { name: "code" })).toHaveValue("K-1");
  await page.getByRole("textbox", { name: "mail" }).fill("ann@example.com");
  await send(page).click();
  const summary = page.locator(".summary");
  await expect(summary.getByRole("link")).toHaveText(["Full name", "size"]);
  const name = page.getByRole("textbox", { name: "Full name" });
  await expect(name).toBeFocused();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await summary.getByRole("link", { name: "size" }).click();
  await page.keyboard.type("6000");
  await name.fill("ACME");
  await expect(summary).toHaveCount(0);
  await send(page).click();
  await expect(page.getByText("Size is at most 5000.").first()).toBeVisible();
  await expect(page.getByRole("textbox", { name: "size" })).toBeFocused();
  await page.getByRole("textbox", { name: "size" }).fill("42");
  await page.getByRole("radio", { name: "Large" }).check();
  await page.getByRole("combobox", { name: "country" }).selectOption("CH");
  await page.getByRole("checkbox", { name: "Wed" }).check();
  await page.getByRole("checkbox", { name: "Mon" }).check();
  await page.getByRole("group", { name: "Terms accepted" }).getByRole("radio", { name: "No" }).check();
  await page.reload();
  await expect(page.getByRole("radio", { name: "Large" })).toBeChecked();
  await expect(page.getByRole("combobox", { name: "country" })).toHaveValue("CH");
  await expect(page.locator("#advance:not([aria-disabled=true])")).toBeVisible();
  await send(page).click();
  const settled = await hub.wait(call.id);
  expect(settled.outcome?.answers[0]?.value).toEqual({
    name: "ACME",
    size: 42,
    mail: "ann@example.com",
    plan: "l",
    country: "CH",
    days: ["Mon", "Wed"],
    terms: false,
    code: "K-1",
  });
});

test("check 11: a keyword that nothing checks is told, and the form still works", async ({ page, ask }) => {
  const call = await ask(FORM);
  await openCall(page, call);
  await expect(page.getByText("The agent also asks for pattern, which is not checked here.")).toBeVisible();
  await expect(page.getByText("As in <b>papers</b>")).toBeVisible();
});

test("a form beside another question is reviewed with what stands in it, and can be left out", async ({
  page,
  hub,
  ask,
}) => {
  const optional = { ...FORM.questions[0], schema: { ...FORM.questions[0]?.schema, required: [] } };
  const call = await ask({
    agent: { name: "b" },
    questions: [optional, { id: "n", kind: "number", question: "How many?" }],
  });
  await openCall(page, call);
  await page.getByRole("textbox", { name: "Full name" }).fill("ACME");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("textbox", { name: "How many?" }).fill("3");
  await page.keyboard.press("Control+Enter");
  const review = page.getByRole("tabpanel");
  await expect(review).toContainText("Full name: ACME");
  await expect(review).toContainText("code: K-1");
  await review.getByRole("button", { name: "Edit question 1" }).click();
  await page.getByRole("button", { name: "Skip", exact: true }).click();
  await page.keyboard.press("Control+Enter");
  await expect(review).toContainText("Left out");
  await page.keyboard.press("Control+Enter");
  const answers = (await hub.wait(call.id)).outcome?.answers;
  expect(answers?.map((answer) => [answer.status, answer.value])).toEqual([
    ["skipped", null],
    ["answered", 3],
  ]);
});
