// Being noticed without being looked at: title, icon, badge, sound, notification. Invariant: counts are derived from what
// is known, never counted; nothing asks for a permission but a press; what is answered elsewhere is taken away.

import { agentOf, titleOf } from "../model/call";
import { Burst, iconWith } from "../model/notices";
import type { Call } from "../wire/types";
import { inbox } from "./inbox.svelte";
import { route } from "./route.svelte";
import { settings } from "./settings.svelte";

const SUMMARY_TAG = "askhub-summary";

class Notices {
  /** What the browser lets this page do: `insecure` where only https or this machine may. */
  permission = $state<NotificationPermission | "insecure" | "missing">("default");
  /** The browser keeps this page silent until it was pressed once. */
  isMuted = $state(false);
  #burst = new Burst();
  #shown = new Map<string, Notification>();
  #audio: AudioContext | null = null;
  #plainIcon = "";

  start(): void {
    this.permission = !isSecureContext
      ? "insecure"
      : "Notification" in globalThis
        ? Notification.permission
        : "missing";
    this.#plainIcon = iconLink()?.href ?? "";
    inbox.onArrival = (call) => this.#arrived(call);
    inbox.onEnd = (id) => this.#ended(id);
    $effect.root(() => {
      $effect(() => this.#count(inbox.open.length));
    });
  }

  /** From a press alone. */
  async allow(): Promise<void> {
    this.permission = await Notification.requestPermission();
    settings.notifies = this.permission === "granted";
    settings.save();
  }

  /** Plays the sound, so that it can be judged; a press also lets the browser play it later. */
  async chime(): Promise<void> {
    this.#audio ??= new AudioContext();
    await this.#audio.resume().catch(() => undefined);
    this.isMuted = this.#audio.state !== "running";
    if (this.isMuted) return;
    const start = this.#audio.currentTime;
    this.#tone(660, start);
    this.#tone(880, start + 0.16);
  }

  test(): void {
    this.#show("askhub-test", "askhub", "Notifications work.");
  }

  #tone(pitch: number, at: number): void {
    if (!this.#audio) return;
    const tone = this.#audio.createOscillator();
    const loudness = this.#audio.createGain();
    tone.frequency.value = pitch;
    loudness.gain.setValueAtTime(0, at);
    loudness.gain.linearRampToValueAtTime(0.2, at + 0.02);
    loudness.gain.exponentialRampToValueAtTime(0.001, at + 0.15);
    tone.connect(loudness).connect(this.#audio.destination);
    tone.start(at);
    tone.stop(at + 0.16);
  }

  #count(count: number): void {
    document.title = count > 0 ? `(${count}) askhub` : "askhub";
    const link = iconLink();
    if (link) link.href = count > 0 ? iconWith(count) : this.#plainIcon;
    const badge = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
    badge?.catch(() => undefined);
  }

  #arrived(call: Call): void {
    if (document.visibilityState === "visible" && document.hasFocus()) return;
    const kind = this.#burst.next(performance.now());
    if (kind === "silent") return;
    if (settings.chimes) void this.chime();
    if (kind === "burst") this.#show(SUMMARY_TAG, "askhub", `${inbox.open.length} calls wait for an answer`);
    else this.#show(call.id, agentOf(call), titleOf(call));
  }

  #show(tag: string, title: string, body: string): void {
    if (!settings.notifies || this.permission !== "granted") return;
    try {
      const shown = new Notification(title, { tag, body: settings.notifiesPrivately ? "A question is waiting" : body });
      this.#shown.set(tag, shown);
      shown.onclick = () => {
        focus();
        if (inbox.calls.has(tag)) route.open(tag);
        shown.close();
      };
    } catch {
      // Phones show notifications of a service worker only.
      const body_ = settings.notifiesPrivately ? "A question is waiting" : body;
      void navigator.serviceWorker?.ready.then((worker) => worker.showNotification(title, { tag, body: body_ }));
    }
  }

  #ended(id: string): void {
    this.#shown.get(id)?.close();
    this.#shown.delete(id);
    if (inbox.open.length === 0) this.#shown.get(SUMMARY_TAG)?.close();
    void navigator.serviceWorker?.getRegistration().then(async (worker) => {
      for (const notice of (await worker?.getNotifications({ tag: id })) ?? []) notice.close();
    });
  }
}

function iconLink(): HTMLLinkElement | null {
  return document.querySelector<HTMLLinkElement>("link[rel=icon]");
}

export const notices = new Notices();
