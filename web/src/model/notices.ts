// When to call somebody who is not looking. Invariant: one notice for one call, one for a burst, none for what is in
// sight.

export const BURST_MS = 10_000;
export const BURST_CALLS_MAX = 3;

/** Remembers arrivals, and says whether the next one is told by itself, as part of a burst, or not at all. */
export class Burst {
  #at: number[] = [];

  next(now: number): "single" | "burst" | "silent" {
    this.#at = this.#at.filter((at) => now - at < BURST_MS);
    this.#at.push(now);
    if (this.#at.length <= BURST_CALLS_MAX) return "single";
    return this.#at.length === BURST_CALLS_MAX + 1 ? "burst" : "silent";
  }
}

/** The page's picture with a dot: where a tab shows nothing else, this says that something waits. */
export function iconWith(count: number): string {
  const words = count > 9 ? "9+" : String(count);
  const badge = `<circle cx="23" cy="9" r="9" fill="#B42318"/><text x="23" y="13" font-family="system-ui,sans-serif" font-size="11" font-weight="700" text-anchor="middle" fill="#fff">${words}</text>`;
  const bubble = `<rect width="32" height="32" rx="8" fill="#1F57C8"/><path d="M9 9.5h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-6.5L11 26v-4.5H9a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2Z" fill="none" stroke="#fff" stroke-width="2.4"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${bubble}${badge}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
