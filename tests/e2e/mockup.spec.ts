// HTML of an agent, drawn where it can do nothing.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, openCall, test } from "./journey";

const hostile = (evil: string) => `<!doctype html><html><head>
<meta http-equiv="refresh" content="0; url=${evil}/refresh">
<link rel="prefetch" href="${evil}/prefetch"><link rel="stylesheet" href="${evil}/a.css">
<style>body { background: url(${evil}/css.png); color: rgb(1, 2, 3) } h1 { font-size: 40px }</style>
<script>top.pwned = 1; parent.location = "${evil}/script"</script></head>
<body><h1 id="title">Mock-up</h1><img src="${evil}/img.png"><img src=x onerror="top.pwned=1">
<form action="${evil}/form"><button id="send">Send</button></form>
<a id="out" href="${evil}/link">Out</a> <a id="top" target="_top" href="${evil}/top">Top</a>
<iframe src="${evil}/frame"></iframe></body></html>`;

function asking(preview: string) {
  const options = [
    { id: "calm", label: "Calm", preview, preview_format: "html" },
    { id: "plain", label: "Plain", preview: "no picture" },
  ];
  return {
    title: "Pick a picture",
    agent: { name: "ui-bot" },
    questions: [{ id: "q", question: "Which one?", options }],
  };
}

test.describe("with a host that must hear nothing", () => {
  test.use({ watches: false });

  test("check 61: a hostile mock-up keeps its styles, loads nothing and leads nowhere", async ({ page, hub, ask }) => {
    const heard: string[] = [];
    const server = createServer((request, response) => {
      heard.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const evil = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const call = await ask(asking(hostile(evil)));
    await openCall(page, call);
    const frame = page.frameLocator("iframe[title='Mock-up by ui-bot: Calm']");
    await expect(frame.locator("#title")).toHaveCSS("font-size", "40px");
    await expect(frame.locator("#title")).toHaveCSS("color", "rgb(1, 2, 3)");
    await expect(page.getByText("Mock-up: not part of this app")).toBeVisible();
    await frame.locator("#top").click();
    await frame.locator("#send").click();
    await expect(page).toHaveURL(`${hub.url}/a/${call.id}`);
    await frame.locator("#out").click();
    await expect(page.getByText("Link blocked: a mock-up leads nowhere.")).toBeVisible();
    await page.getByRole("button", { name: "Reload mock-up" }).click();
    await expect(frame.locator("#title")).toHaveText("Mock-up");
    expect(heard).toEqual([]);
    expect(await page.evaluate(() => "pwned" in window)).toBe(false);
    await page.getByRole("button", { name: "Show its source" }).click();
    await expect(page.getByText("<h1 id=")).toBeVisible();
    // Control: the host does hear who comes to it.
    await fetch(`${evil}/control`);
    expect(heard).toEqual(["/control"]);
    server.close();
  });
});

test("a mock-up is for people of its space alone, and stands under its own policy", async ({
  page,
  browser,
  hub,
  ask,
}) => {
  const call = await ask(asking("<p>Hello</p>"));
  const mine = await page.request.get(`${hub.url}/preview/${call.id}/0/0`);
  expect(mine.headers()["content-security-policy"]).toMatch(/^sandbox; default-src 'none';/);
  expect(mine.headers()["content-security-policy"]).toContain("frame-ancestors 'self'");
  expect((await page.request.get(`${hub.url}/preview/${call.id}/0/1`)).status()).toBe(404);
  expect((await page.request.get(`${hub.url}/preview/${call.id}/7/0`)).status()).toBe(404);
  // In a window of its own it would stand under our address with nothing around it.
  expect((await page.goto(`${hub.url}/preview/${call.id}/0/0`))?.status()).toBe(404);
  const stranger = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  expect((await stranger.request.get(`${hub.url}/preview/${call.id}/0/0`)).status()).toBe(404);
  await stranger.close();
});

test("a mock-up is shown at the widths of devices, scaled to fit", async ({ page, ask }) => {
  const call = await ask(asking("<p>Hello</p>"));
  await openCall(page, call);
  const frame = page.locator("iframe");
  await page.getByRole("button", { name: "1280" }).click();
  await expect(frame).toHaveCSS("width", "1280px");
  const box = await frame.boundingBox();
  const room = await page.locator("figure").boundingBox();
  expect(box?.width ?? 0).toBeLessThanOrEqual((room?.width ?? 0) + 1);
});
