// Everybody can use it: by screen reader, in high contrast, on a narrow screen.

import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { CHOICE, expect, openCall, SEVERAL, send, TEXT, test } from "./journey";

const PREVIEWS = {
  title: "With previews",
  context:
    "Some *context* with a [link](https://example.com).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nls -la\n```",
  agent: { name: "ui-bot", host: "build-7", session: "s-1" },
  tags: ["prod"],
  timeout_seconds: 600,
  questions: [
    {
      id: "look",
      header: "Look",
      question: "Which look?",
      options: [
        { label: "Dense", description: "Small rows", recommended: true, preview: "a\nb\nc" },
        { label: "Airy", preview: "**wide** rows", preview_format: "markdown" },
      ],
    },
    {
      id: "many",
      header: "Many",
      question: "Which ones?",
      multi_select: true,
      max_selected: 2,
      options: [{ label: "X" }, { label: "Y" }],
    },
    { id: "words", header: "Words", kind: "text", question: "Say what?", max_length: 80, required: true },
    { id: "sure", header: "Sure", kind: "confirm", question: "Sure?" },
  ],
};

async function check(page: Page, place: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .options({ rules: { "target-size": { enabled: true } } })
    .analyze();
  const words = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join("\n  ")}`);
  expect(words, place).toEqual([]);
}

for (const look of ["light", "dark", "forced colours"] as const) {
  test(`check 65: axe finds nothing on any screen, ${look}`, async ({ page, hub, ask }) => {
    test.setTimeout(90_000);
    await page.emulateMedia(look === "forced colours" ? { forcedColors: "active" } : { colorScheme: look });
    await page.goto("./");
    await expect(page.getByRole("button", { name: "Send a sample question" })).toBeVisible();
    await check(page, "empty inbox");
    const other = await ask({ ...CHOICE, priority: 90 });
    const call = await ask(PREVIEWS);
    await page
      .getByRole("button", { name: /new|Live/ })
      .first()
      .click();
    await page.goto("./");
    await expect(page.locator("#list a[data-row]")).toHaveCount(2);
    await check(page, "list");
    await openCall(page, call);
    await check(page, "choice with previews");
    await page.keyboard.press("v");
    await expect(page.getByRole("dialog")).toBeVisible();
    await check(page, "preview in full size");
    await page.keyboard.press("Escape");
    await page.getByRole("radio", { name: "In my own words" }).click();
    await page.getByLabel("Own words", { exact: true }).fill("mine");
    await page.getByRole("radio", { name: "Dense" }).click();
    for (const place of ["multiple choice", "text", "confirmation", "Review"]) {
      await page.keyboard.press("]");
      await check(page, place);
    }
    await send(page).click();
    await expect(page.getByRole("main").getByText("This needs an answer: write one.")).toBeVisible();
    await check(page, "with a fault");
    await page.getByRole("button", { name: "Ask me differently" }).first().click();
    await check(page, "ask me differently");
    await page.keyboard.press("Escape");
    await hub.cancel(call.id, "no longer");
    await expect(page.getByText("Your answer is still here.")).toBeVisible();
    await check(page, "ended while typing");
    await openCall(page, other);
    await page.getByRole("radio", { name: "Store credit" }).click();
    await send(page).click();
    await hub.wait(other.id);
    await expect(page.getByRole("main").getByText(/Received by/)).toBeVisible();
    await check(page, "received");
    await page.goto("history");
    await expect(page.locator("#list a[data-row]").first()).toBeVisible();
    await check(page, "history");
    await page.keyboard.press("?");
    await check(page, "keys and settings");
  });
}

test("check 65: a new call is spoken once, and the countdown only at milestones", async ({ page, ask }) => {
  await page.goto("./");
  await expect(page.getByRole("button", { name: "Live" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Send a sample question" })).toBeVisible();
  await ask({ ...CHOICE, timeout_seconds: 64 });
  await expect(page.locator("[aria-live=polite].hidden")).toHaveText("New call: Refund path");
  await page.getByRole("link", { name: /Refund path/ }).click();
  await expect(page.getByRole("timer")).toHaveAttribute("aria-live", "off");
  await expect(page.locator("[aria-live=polite].hidden")).toHaveText("1 minute left.");
});

test("a screen reader finds landmarks, a legend for the options, and the state of each tab", async ({ page, ask }) => {
  const call = await ask(SEVERAL);
  await openCall(page, call);
  await page.getByRole("radio", { name: "Alpha" }).click();
  await expect(page.getByRole("banner")).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Views" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Inbox" })).toBeVisible();
  await expect(page.getByRole("group", { name: "Which first?" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "First , answered" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Second , not answered" })).toBeVisible();
});

test("check 66: at 320 px nothing scrolls sideways", async ({ page, ask }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("./");
  await expect(page.getByRole("button", { name: "Send a sample question" })).toBeVisible();
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(await overflow(), "empty inbox").toBe(0);
  const call = await ask(PREVIEWS);
  await ask({ ...TEXT, title: "An-unbroken-title-".repeat(8), agent: { name: "n".repeat(80), host: "h".repeat(60) } });
  await page.goto("./");
  await expect(page.locator("#list a[data-row]")).toHaveCount(2);
  expect(await overflow(), "list").toBe(0);
  await page.locator("#list a[data-row]").nth(1).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(await overflow(), "long names").toBe(0);
  await openCall(page, call);
  for (const place of ["choice", "multiple choice", "text", "confirmation", "Review"]) {
    expect(await overflow(), place).toBe(0);
    await page.keyboard.press("]");
  }
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("a call is opened, answered and left again, with controls large enough for a thumb", async ({
    page,
    hub,
    ask,
  }) => {
    const call = await ask(CHOICE);
    await page.goto("./");
    await page.getByRole("link", { name: /Refund path/ }).tap();
    await expect(page.locator("#list")).toBeHidden();
    await page.getByRole("radio", { name: "Store credit" }).tap();
    const button = send(page);
    await expect(button).toHaveAttribute("aria-disabled", "false");
    const size = await button.boundingBox();
    expect(size?.height).toBeGreaterThanOrEqual(48);
    expect((size?.y ?? 0) + (size?.height ?? 0)).toBeLessThanOrEqual(844);
    await button.tap();
    await hub.wait(call.id);
    await expect(page.getByRole("main").getByText("You answered")).toBeVisible();
    await page.getByRole("link", { name: "Inbox" }).first().tap();
    await expect(page.locator("#list")).toBeVisible();
  });

  test("how a call ended is in sight while the field has the caret", async ({ page, hub, ask }) => {
    const call = await ask({ ...TEXT, context: "A long story. ".repeat(200) });
    await openCall(page, call);
    const field = page.getByRole("textbox", { name: "What should it say?" });
    await field.tap();
    await page.keyboard.type("half");
    await hub.cancel(call.id, "found it");
    await expect(page.getByRole("main").getByText("docs-bot no longer needs an answer")).toBeInViewport();
    await expect(field).toBeInViewport();
    await expect(field).toBeFocused();
  });

  test("a preview opens in a sheet, and choosing there only chooses", async ({ page, hub, ask }) => {
    const call = await ask(PREVIEWS);
    await openCall(page, call);
    await page.getByRole("button", { name: "Preview of Airy" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Choose this" }).tap();
    await expect(page.getByRole("radio", { name: "Airy" })).toBeChecked();
    expect((await hub.read(call.id)).status).toBe("pending");
  });

  test("check 64: above an on-screen keyboard the field and Send stay in sight", async ({ page, ask }) => {
    const call = await ask(TEXT);
    await openCall(page, call);
    await page.getByRole("textbox", { name: "What should it say?" }).tap();
    await page.setViewportSize({ width: 390, height: 430 });
    await expect(page.getByRole("textbox", { name: "What should it say?" })).toBeInViewport();
    await expect(send(page)).toBeInViewport({ ratio: 1 });
    const size = await page.getByRole("textbox").evaluate((field) => getComputedStyle(field).fontSize);
    expect(size).toBe("16px");
  });
});
