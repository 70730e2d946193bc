// Being noticed while nobody looks, and opening without a connection.

import type { Page } from "@playwright/test";
import { CHOICE, expect, test } from "./journey";

interface Spied {
  shown: { title: string; body: string; tag: string; closed: boolean; onclick: (() => void) | null }[];
  asked: number;
  tones: number;
  hidden: boolean;
}

declare global {
  interface Window {
    spied: Spied;
  }
}

/** Notes what the page asks of the system, and lets a journey say whether the page is in front. */
async function spy(page: Page, permission: NotificationPermission): Promise<void> {
  await page.addInitScript((permission) => {
    const spied: Spied = { shown: [], asked: 0, tones: 0, hidden: false };
    window.spied = spied;
    class Fake {
      static permission = permission;
      static requestPermission() {
        spied.asked += 1;
        Fake.permission = "granted";
        return Promise.resolve(Fake.permission);
      }
      closed = false;
      onclick: (() => void) | null = null;
      tag: string;
      body: string;
      constructor(
        readonly title: string,
        options: NotificationOptions,
      ) {
        this.tag = options.tag ?? "";
        this.body = options.body ?? "";
        spied.shown.push(this);
      }
      close() {
        this.closed = true;
      }
    }
    Object.defineProperty(window, "Notification", { value: Fake });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when) {
      spied.tones += 1;
      start.call(this, when);
    };
    Object.defineProperty(document, "visibilityState", { get: () => (spied.hidden ? "hidden" : "visible") });
    Object.defineProperty(document, "hidden", { get: () => spied.hidden });
    document.hasFocus = () => !spied.hidden;
  }, permission);
}

async function look(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((isHidden) => {
    window.spied.hidden = isHidden;
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}

async function turnOn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Keys and settings" }).click();
  await page.getByRole("button", { name: "Turn on notifications" }).click();
  await page.getByRole("checkbox", { name: "Play a sound" }).check();
  await page.getByRole("button", { name: "Close" }).click();
}

const icon = (page: Page) => page.locator("link[rel=icon]").getAttribute("href");

test("check 51: an unseen arrival changes title and icon, and is one notification and one sound", async ({
  page,
  ask,
}) => {
  await spy(page, "default");
  await page.goto("./");
  await expect(page.getByText("Nothing is waiting").first()).toBeVisible();
  await turnOn(page);
  const plain = await icon(page);
  await page.evaluate(() => {
    window.spied.tones = 0;
  });
  await look(page, true);
  const call = await ask(CHOICE);
  await expect(page).toHaveTitle("(1) askhub");
  await expect.poll(() => page.evaluate(() => window.spied.shown.length)).toBe(1);
  const [notice] = await page.evaluate(() => window.spied.shown);
  expect(notice).toMatchObject({ title: "billing-bot", body: "Refund path", tag: call.id });
  expect(await icon(page)).not.toBe(plain);
  await expect.poll(() => page.evaluate(() => window.spied.tones)).toBe(2);
  // Its press leads there.
  await look(page, false);
  await page.evaluate(() => window.spied.shown[0]?.onclick?.());
  await expect(page.getByRole("heading", { level: 1, name: "Refund path" })).toBeVisible();
  // What is in front needs no notice.
  await ask({ ...CHOICE, title: "Second" });
  await expect(page).toHaveTitle("(2) askhub");
  expect(await page.evaluate(() => window.spied.shown.length)).toBe(1);
});

test("check 50: what was answered elsewhere is cleared from title, icon and notifications", async ({
  page,
  ana,
  ask,
}) => {
  await spy(page, "default");
  await page.goto("./");
  await expect(page.getByText("Nothing is waiting").first()).toBeVisible();
  await turnOn(page);
  const plain = await icon(page);
  await look(page, true);
  const call = await ask(CHOICE);
  await expect(page).toHaveTitle("(1) askhub");
  const other = await ana();
  await other.goto(`a/${call.id}`);
  await other.getByRole("radio", { name: "Store credit" }).click();
  await expect(other.locator("#advance:not([aria-disabled=true])")).toBeVisible();
  await other.locator("#advance").click();
  await expect(page).toHaveTitle("askhub");
  await expect.poll(() => icon(page)).toBe(plain);
  await expect.poll(() => page.evaluate(() => window.spied.shown.every((notice) => notice.closed))).toBe(true);
});

test("check 53: nothing asks for a permission without a press", async ({ page, ask }) => {
  await spy(page, "default");
  await page.clock.install();
  await page.goto("./");
  await ask(CHOICE);
  await page.getByRole("link", { name: /Refund path/ }).click();
  await page.getByRole("radio", { name: "Store credit" }).click();
  for (let second = 0; second < 60; second += 5) await page.clock.fastForward(5000);
  await page.getByRole("button", { name: "Keys and settings" }).click();
  expect(await page.evaluate(() => window.spied.asked)).toBe(0);
  await page.getByRole("button", { name: "Turn on notifications" }).click();
  expect(await page.evaluate(() => window.spied.asked)).toBe(1);
});

test("a burst is one summary, and what was blocked says how to allow it", async ({ page, ask }) => {
  await spy(page, "granted");
  await page.goto("./");
  await expect(page.getByText("Nothing is waiting").first()).toBeVisible();
  await page.getByRole("button", { name: "Keys and settings" }).click();
  await page.getByRole("checkbox", { name: /Notify me/ }).check();
  await page.getByRole("checkbox", { name: "Leave out what they are about" }).check();
  await page.getByRole("button", { name: "Close" }).click();
  await look(page, true);
  await Promise.all(Array.from({ length: 6 }, (_, at) => ask({ ...CHOICE, title: `Call ${at}` })));
  await expect(page).toHaveTitle("(6) askhub");
  const shown = await page.evaluate(() => window.spied.shown.map((notice) => notice.body));
  expect(shown.length).toBeLessThanOrEqual(4);
  expect(new Set(shown)).toEqual(new Set(["A question is waiting"]));
  const denied = await page.context().newPage();
  await spy(denied, "denied");
  await denied.goto("./");
  await denied.getByRole("button", { name: "Keys and settings" }).click();
  await expect(denied.getByText("Notifications are blocked for this address.")).toBeVisible();
});

test.describe("with its service worker", () => {
  test.use({ serviceWorkers: "allow" });

  test("the page opens without a connection, and keeps no call", async ({ page, context, ask }) => {
    await ask(CHOICE);
    await page.goto("./");
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await expect(page.getByRole("link", { name: /Refund path/ })).toBeVisible();
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return requests.flat().map((request) => new URL(request.url).pathname);
    });
    expect(kept.filter((path) => !/^\/(assets\/[\w.-]+)?$/.test(path))).toEqual([]);
    await context.setOffline(true);
    await page.goto("history");
    await expect(page.getByRole("navigation", { name: "Views" })).toBeVisible();
    await expect(page.getByRole("button", { name: /Offline/ })).toBeVisible();
    await context.setOffline(false);
    await page.goto("./");
    await expect(page.getByRole("link", { name: /Refund path/ })).toBeVisible();
  });

  test("what a browser needs to install the page is there", async ({ page }) => {
    await page.goto("./");
    const manifest = await page.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>("link[rel=manifest]");
      return (await fetch(link?.href ?? "")).json();
    });
    expect(manifest).toMatchObject({ name: "askhub", display: "standalone", start_url: "./" });
    const worker = await page.request.get("sw.js");
    expect(worker.headers()["cache-control"]).toBe("no-cache");
    expect(await worker.text()).not.toContain("__FILES__");
  });
});
