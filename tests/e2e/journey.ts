// What every journey starts with: a hub, a signed-in browser, and a watch on what must never happen. Invariant: a
// journey fails on any policy violation, uncaught error or request to another origin, whatever else it looks at.

import { type Browser, type BrowserContext, test as base, type Page } from "@playwright/test";
import { serveDist } from "./dist";
import { type Call, Hub } from "./hub";

export { expect } from "@playwright/test";

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;

interface Shared {
  hub: Hub;
  ownerState: State;
  anaState: State;
}

interface Own {
  /** How long answers may be taken back. Most journeys look at what is sent, so theirs go out at once. */
  undoSeconds: number;
  /** Off where an agent's own document tries what is blocked: there a host that must hear nothing takes the watch. */
  watches: boolean;
  ask: (body: object) => Promise<Call>;
  /** Another browser tab of the same person. */
  tab: () => Promise<Page>;
  /** A page of another responder. */
  ana: () => Promise<Page>;
}

export const test = base.extend<Own, Shared>({
  hub: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures from the pattern
    async ({}, use) => {
      const hub = await Hub.start();
      await use(hub);
      await hub.stop();
    },
    { scope: "worker" },
  ],
  ownerState: [async ({ browser, hub }, use) => use(await signIn(browser, hub.signInLink)), { scope: "worker" }],
  anaState: [
    async ({ browser, hub }, use) => use(await signIn(browser, await hub.addPerson("Ana"))),
    { scope: "worker" },
  ],

  storageState: async ({ ownerState }, use) => use(ownerState),
  baseURL: async ({ hub }, use) => use(hub.url),

  undoSeconds: [0, { option: true }],
  watches: [true, { option: true }],
  context: async ({ context, hub, undoSeconds, watches }, use) => {
    const faults = watches ? watch(context, hub.url) : [];
    await chooseUndo(context, undoSeconds);
    await serveDist(context);
    await use(context);
    if (faults.length > 0) throw new Error(`must never happen:\n${faults.join("\n")}`);
  },
  ask: async ({ hub }, use) => {
    await use((body) => hub.ask(body));
    await hub.cancelAll();
  },
  tab: async ({ context }, use) => use(() => context.newPage()),
  ana: async ({ browser, hub, anaState, viewport, undoSeconds }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async () => {
      const context = await browser.newContext({ storageState: anaState, baseURL: hub.url, viewport });
      contexts.push(context);
      await chooseUndo(context, undoSeconds);
      await serveDist(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
});

/** Signs in as a person does: opens the link, presses the button. */
export async function signIn(browser: Browser, link: string): Promise<State> {
  // Without a state of its own it would start signed in as the owner.
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/sign-in"));
  const state = await context.storageState();
  await context.close();
  return state;
}

/** As the page's own setting does, before it has started for the first time. */
async function chooseUndo(context: BrowserContext, undoSeconds: number): Promise<void> {
  await context.addInitScript((undoSeconds) => {
    const KEY = "askhub.settings";
    // An empty page, such as a new tab's, has no store; nor has a frame that is shut in.
    if (globalThis.origin === "null") return;
    if (localStorage.getItem(KEY) === null) localStorage.setItem(KEY, JSON.stringify({ undoSeconds }));
  }, undoSeconds);
}

function watch(context: BrowserContext, url: string): string[] {
  const faults: string[] = [];
  const origin = new URL(url).origin;
  context.on("request", (request) => {
    const target = request.url();
    if (!target.startsWith(origin) && !target.startsWith("data:")) faults.push(`request to ${target}`);
  });
  context.on("console", (message) => {
    // A mock-up may try what it likes: its own policy stops it, and that it does is looked at in its own journey.
    if (message.location().url.includes("/preview/")) return;
    if (/Content Security Policy|Trusted|svelte\.dev\/e\//.test(message.text())) faults.push(message.text());
  });
  context.on("weberror", (error) => faults.push(String(error.error().stack)));
  return faults;
}

/** The call's page, ready: its form or its outcome is there and nothing swallows a press any more. */
export async function openCall(page: Page, call: Call): Promise<void> {
  await page.goto(`a/${call.id}`);
  await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  await page.locator("#advance:not([aria-disabled=true]), .banner").first().waitFor();
}

export const CHOICE = {
  title: "Refund path",
  agent: { name: "billing-bot", host: "prod-eu-1", session: "run-7" },
  questions: [
    {
      id: "path",
      question: "How should I make customers whole?",
      options: [
        { id: "refund", label: "Refund to source", description: "3–5 days", recommended: true },
        { id: "credit", label: "Store credit", description: "At once" },
      ],
    },
  ],
};

export const TEXT = {
  title: "Release note",
  agent: { name: "docs-bot" },
  questions: [{ id: "note", kind: "text", question: "What should it say?", multiline: true }],
};

export const SEVERAL = {
  title: "Two things",
  agent: { name: "ui-bot" },
  questions: [
    { id: "first", header: "First", question: "Which first?", options: [{ label: "Alpha" }, { label: "Beta" }] },
    { id: "second", header: "Second", question: "Which second?", options: [{ label: "Gamma" }, { label: "Delta" }] },
  ],
};

export function send(page: Page) {
  return page.getByRole("main").getByRole("button", { name: /^(Send|Retry|Send late)$/ });
}
