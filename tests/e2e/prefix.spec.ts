// Behind a path prefix and behind a proxy everything works as at the root.

import type { Browser } from "@playwright/test";

import { serveDist } from "./dist";
import { freePort, Hub } from "./hub";
import { CHOICE, expect, send, signIn, test } from "./journey";
import { hasNginx, Nginx } from "./nginx";

test("a hub under /ask shows, answers, reloads and links its calls there", async ({ browser }) => {
  const hub = await Hub.start("/ask");
  await answerUnderItsPath(browser, hub);
  await hub.stop();
});

for (const strips of [false, true]) {
  test(`a proxy that ${strips ? "takes the path off" : "leaves the path on"} changes nothing`, async ({ browser }) => {
    test.skip(!hasNginx, "SKIPPED: no nginx");
    const port = await freePort();
    const hub = await Hub.start("/ask", port);
    const nginx = await Nginx.start(port, hub.localUrl, strips);
    await answerUnderItsPath(browser, hub);
    await nginx.stop();
    await hub.stop();
  });
}

async function answerUnderItsPath(browser: Browser, hub: Hub): Promise<void> {
  const context = await browser.newContext({ storageState: await signIn(browser, hub.signInLink) });
  await serveDist(context);
  const page = await context.newPage();
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!new URL(request.url()).pathname.startsWith("/ask/")) outside.push(request.url());
  });
  await page.goto(`${hub.url}/`);
  await expect(page.getByRole("button", { name: "Live" })).toBeVisible();
  const call = await hub.ask(CHOICE);
  await page.getByRole("link", { name: /Refund path/ }).click();
  await expect(page).toHaveURL(`${hub.url}/a/${call.id}`);
  await page.reload();
  await page.getByRole("radio", { name: "Store credit" }).click();
  await send(page).click();
  expect((await hub.wait(call.id)).status).toBe("answered");
  await page.getByRole("navigation").getByRole("link", { name: "History" }).click();
  await expect(page).toHaveURL(`${hub.url}/history`);
  await expect(page.locator("#list a[data-row]")).toHaveCount(1);
  expect(outside).toEqual([]);
  await context.close();
}
