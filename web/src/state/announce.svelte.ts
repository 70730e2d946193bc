// What is said to people who cannot see the page change. Invariant: two regions that exist from the start; arrivals
// are spoken at most once in 30 s, and only what concerns the open call or a failed send interrupts.

import { titleOf } from "../model/call";
import type { Call } from "../wire/types";

const ARRIVALS_MS = 30_000;

class Announcer {
  polite = $state("");
  assertive = $state("");
  #arrived: Call[] = [];
  #lastArrivalAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | null = null;

  say(words: string): void {
    // The same words twice are a change only if something differs: a trailing blank is not read.
    this.polite = this.polite === words ? `${words} ` : words;
  }

  interrupt(words: string): void {
    this.assertive = this.assertive === words ? `${words} ` : words;
  }

  arrived(call: Call): void {
    this.#arrived.push(call);
    const wait = Math.max(0, this.#lastArrivalAt + ARRIVALS_MS - performance.now());
    this.#timer ??= setTimeout(() => this.#sayArrivals(), wait);
  }

  #sayArrivals(): void {
    const [first] = [...this.#arrived].sort((a, b) => b.priority - a.priority);
    const count = this.#arrived.length;
    this.#timer = null;
    this.#arrived = [];
    this.#lastArrivalAt = performance.now();
    if (!first) return;
    this.say(count === 1 ? `New call: ${titleOf(first)}` : `${count} new calls, most urgent: ${titleOf(first)}`);
  }
}

export const announcer = new Announcer();
