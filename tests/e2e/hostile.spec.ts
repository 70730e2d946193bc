// What an agent writes is shown as what it is. Every journey watches for policy violations and foreign requests; here
// the agent tries hard to cause one.

import { expect, openCall, send, test } from "./journey";

const HTML = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script><svg onload="window.pwned=1">`;
const OVERRIDE = "pay ‮000,1$ ton‬ now";

test("check 62: hostile text in every field is text, and nothing of it runs or is fetched", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask({
    title: `${HTML} title`,
    context: `${HTML}\n\n[click](javascript:window.pwned=1) [ok](https://evil.example/path) ![i](https://evil.example/pixel.png)\n\n<iframe src="https://evil.example"></iframe>`,
    agent: { name: `${HTML} name`, host: `${HTML} host`, session: `${HTML} session` },
    tags: [`${HTML} tag`],
    questions: [
      {
        id: "a",
        header: `${HTML} header`,
        question: `${HTML} question`,
        options: [
          { label: `${HTML} label`, description: `${HTML} description`, preview: HTML, preview_format: "html" },
          { label: "Markdown", preview: `${HTML}\n\n![x](https://evil.example/y.png)`, preview_format: "markdown" },
        ],
      },
      { id: "b", kind: "text", question: "Text?", placeholder: HTML },
      { id: "c", kind: "confirm", question: "Yes?", yes_label: `${HTML} yes`, no_label: `${HTML} no` },
    ],
  });
  await openCall(page, call);
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { level: 1 })).toContainText("<img src=x onerror=");
  await expect(main.getByText("evil.example").first()).toBeVisible();
  await expect(main.locator("img, iframe:not([sandbox='']), script, svg[onload], a[href^=javascript]")).toHaveCount(0);
  const link = main.getByRole("link", { name: "ok" });
  await expect(link).toHaveAttribute("rel", "noopener noreferrer nofollow");
  await page.getByRole("radio", { name: /label/ }).click();
  await main.getByRole("button", { name: "Show its source" }).click();
  await expect(main.getByText("HTML source")).toBeVisible();
  await page.getByRole("radio", { name: "Markdown" }).click();
  for (const key of ["]", "]", "]"]) await page.keyboard.press(key);
  await expect(page.getByRole("tabpanel")).toContainText("Markdown");
  await send(page).click();
  await expect(main.getByText("You answered")).toBeVisible();
  await hub.wait(call.id);
  await page.goto("history");
  await expect(page.locator("#list a[data-row]").first()).toContainText("<img src=x");
  expect(await page.evaluate(() => "pwned" in window)).toBe(false);
});

test("characters that turn or hide text are drawn as marks, and copying gives the true ones", async ({
  page,
  ask,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const call = await ask({
    title: OVERRIDE,
    questions: [{ question: "Which?", options: [{ label: `a​b${" ".repeat(60)}c`, preview: OVERRIDE }] }],
  });
  await openCall(page, call);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("pay U+202E000,1$ tonU+202C now");
  await expect(page.getByRole("main").locator(".card").first()).toContainText("aU+200Bb60 blanksc");
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(OVERRIDE);
});

test("the page is served with Trusted Types, and a deep link of an unknown call says so", async ({ page }) => {
  const reply = await page.goto("a/01900000-0000-7000-8000-000000000000");
  expect(reply?.headers()["content-security-policy"]).toContain("require-trusted-types-for 'script'");
  await expect(page.getByRole("heading", { name: "This call does not exist" })).toBeVisible();
});
