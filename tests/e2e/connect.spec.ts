// Connecting an agent: what is pasted works as it is, and the page shows what arrives.

import { execFile } from "node:child_process";
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "./journey";

function run(command: string): Promise<string> {
  return new Promise((done, failed) => {
    execFile("sh", ["-c", command], (error, stdout) => (error ? failed(error) : done(stdout)));
  });
}

test("check 70: a wrong token is told with its fix, and the pasted command turns three lights on", async ({
  page,
  context,
  hub,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("./");
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await expect(page).toHaveURL(/\/connect$/);
  await page.getByRole("button", { name: "Make a token" }).click();
  const lights = page.getByRole("list").filter({ hasText: "Your answer arrived back" }).getByRole("listitem");
  await expect(lights).toHaveCount(3);
  await expect(page.getByText(/askhub_[\w-]{20,}/)).toHaveCount(0);
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toMatch(/Bearer askhub_[\w-]{20,}/);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await run(command.replace(/askhub_[\w-]+/, "askhub_wrong"));
  await expect(lights.first()).toContainText("401: token unknown");
  await expect(lights.first()).toContainText("Copy the command again, whole.");
  const asked = run(command);
  await expect(lights.first()).toContainText("The agent reached us");
  await expect(lights.first()).toContainText("curl/");
  await expect(lights.nth(1)).toContainText("Its question is here");
  await page.getByRole("main").getByRole("link", { name: "Answer it" }).click();
  await page.getByRole("radio", { name: "Yes" }).click();
  await expect(page.locator("#advance:not([aria-disabled=true])")).toBeVisible();
  await page.locator("#advance").click();
  expect(JSON.parse(await asked)).toMatchObject({ status: "answered", asker: { kind: "agent" } });
  await page.goBack();
  await expect(page).toHaveURL(`${hub.url}/connect`);
});

test("the lights stay on the page while the answer goes out elsewhere", async ({ page, context, ana }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("connect");
  await page.getByRole("button", { name: "Make a token" }).click();
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  const asked = run(await page.evaluate(() => navigator.clipboard.readText()));
  const other = await ana();
  await other.goto("./");
  await other.getByRole("link", { name: /A first question/ }).click();
  await other.getByRole("radio", { name: "Yes" }).click();
  await expect(other.locator("#advance:not([aria-disabled=true])")).toBeVisible();
  await other.locator("#advance").click();
  await asked;
  await expect(page.getByText(/Received \d\d:\d\d:\d\d/)).toBeVisible();
  await expect(page.getByRole("region", { name: "The outcome" })).toContainText('"status": "answered"');
  // Who may not make tokens is told whom to ask.
  await other.goto("connect");
  await expect(other.getByText("Ask whoever runs this hub for a token")).toBeVisible();
});
