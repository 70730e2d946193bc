// Wires the parts of the state together and to the browser's events. Invariant: the only place that knows them all.

import { watchReplies } from "../wire/api";
import { Feed } from "../wire/feed";
import { clock } from "./clock.svelte";
import { drafts } from "./drafts.svelte";
import { guard } from "./guard.svelte";
import { inbox } from "./inbox.svelte";
import { link } from "./link.svelte";
import { route } from "./route.svelte";

const HIDDEN_LONG_MS = 60_000;
// `input` too: dictation and other input methods press no key.
const INPUTS = ["pointermove", "pointerdown", "keydown", "input", "wheel", "touchstart"] as const;

const feed = new Feed({
  onEvent: (event) => inbox.onEvent(event),
  onReset: () => void refresh(),
  onAlive: () => link.good(),
  onDown: () => link.down(),
  onSignedOut: () => link.signedOut(),
});

/** Reads everything that is on screen again; place, draft and selection stay. */
export async function refresh(): Promise<void> {
  try {
    if (!inbox.me) await inbox.loadMe();
    await inbox.reload();
    if (route.place.view === "history") await inbox.loadHistory();
    if (route.place.callId) await inbox.read(route.place.callId);
  } catch {
    // The connection's state says it; the feed tries again and resets when it is back.
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
}

function followAttention(): void {
  const onInput = () => {
    inbox.attention.lastInputAt = clock.exact();
  };
  for (const type of INPUTS) addEventListener(type, onInput, { passive: true, capture: true });
}

function followVisibility(): void {
  let hiddenAt = 0;
  const wake = () => void feed.nudge();
  addEventListener("online", wake);
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
