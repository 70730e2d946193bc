// Wires the parts of the state together and to the browser's events. Invariant: the only place that knows them all.

import { forHub, parseFilter } from "../model/filter";
import { watchReplies } from "../wire/api";
import { Feed } from "../wire/feed";
import { clock } from "./clock.svelte";
import { drafts } from "./drafts.svelte";
import { guard } from "./guard.svelte";
import { inbox } from "./inbox.svelte";
import { link } from "./link.svelte";
import { route } from "./route.svelte";
import { sender } from "./sending.svelte";

const HIDDEN_LONG_MS = 60_000;
const RETRY_MS = 5000;
// `input` too: dictation and other input methods press no key.
const INPUTS = ["pointermove", "pointerdown", "keydown", "input", "wheel", "touchstart"] as const;

const feed = new Feed({
  onEvent: (event) => inbox.onEvent(event),
  onReset: () => void refresh(),
  onAlive: () => link.alive(),
  onDown: () => link.down(),
  onSignedOut: () => link.signedOut(),
});

let retry: ReturnType<typeof setTimeout> | undefined;

/** Reads everything that is on screen again; place, draft and selection stay. Goes on until it has succeeded. */
export async function refresh(): Promise<void> {
  clearTimeout(retry);
  try {
    if (!inbox.me) await inbox.loadMe();
    await inbox.reload();
    if (route.place.view === "history") await inbox.loadHistory(false, forHub(parseFilter(route.place.query)));
    if (route.place.callId) await inbox.read(route.place.callId);
    void sender.flush();
  } catch {
    // The stream may be up although a reading failed: then nothing else would bring the missing list.
    retry = setTimeout(() => void refresh(), RETRY_MS);
  }
}

export function startPage(): void {
  watchReplies(({ status, date, sent, received }) => {
    if (date) clock.measure(Date.parse(date), sent, received, 1000);
    if (status === 401) link.signedOut();
    else if (status < 500) link.good();
  });
  clock.start();
  link.start();
  drafts.start();
  guard.start();
  route.start();
  followAttention();
  followVisibility();
  feed.start();
  // The first list does not wait for the stream; the stream's start reads it again, so nothing falls in between.
  void refresh().then(startLater);
}

/** What the first sight of the page does not need: being noticed, and opening without a connection. */
function startLater(): void {
  void import("./notices.svelte").then(({ notices }) => notices.start());
  void import("./shell").then(({ keepShell }) => keepShell());
}

function followAttention(): void {
  const onInput = () => {
    inbox.attention.lastInputAt = performance.now();
  };
  for (const type of INPUTS) addEventListener(type, onInput, { passive: true, capture: true });
}

function followVisibility(): void {
  let hiddenAt = 0;
  const wake = () => void feed.nudge();
  addEventListener("online", wake);
  addEventListener("online", () => void sender.flush());
  addEventListener("pageshow", (event) => event.persisted && wake());
  document.addEventListener("resume", wake);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      hiddenAt = performance.now();
      return;
    }
    if (performance.now() - hiddenAt > HIDDEN_LONG_MS) inbox.adopt();
    wake();
  });
}
