// Whether this page and the hub hear each other. Invariant: a banner only after 3 s of real outage; the first good
// reply of any kind clears it.

export const OUTAGE_MS = 3000;

export type LinkState = "connecting" | "live" | "reconnecting" | "offline" | "signed-out";

class Link {
  #failing = $state(false);
  #signedOut = $state(false);
  /** The event stream has been there since the page was loaded. */
  #hasStream = $state(false);
  #offline = $state(!navigator.onLine);
  #timer: ReturnType<typeof setTimeout> | null = null;

  readonly state: LinkState = $derived.by(() => {
    if (this.#signedOut) return "signed-out";
    if (this.#offline) return "offline";
    if (this.#failing) return "reconnecting";
    return this.#hasStream ? "live" : "connecting";
  });

  start(): void {
    const follow = () => {
      this.#offline = !navigator.onLine;
    };
    addEventListener("online", follow);
    addEventListener("offline", follow);
  }

  alive(): void {
    this.#hasStream = true;
    this.good();
  }

  good(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#failing = false;
    this.#signedOut = false;
  }

  down(): void {
    this.#timer ??= setTimeout(() => {
      this.#failing = true;
    }, OUTAGE_MS);
  }

  signedOut(): void {
    this.#signedOut = true;
  }
}

export const link = new Link();
