// The input guard of this page, and whether it is on, for the buttons to show. Invariant: see model/guard.ts.

import { InputGuard } from "../model/guard";

class Guard {
  #guard = new InputGuard();
  active = $state(false);
  #timer: ReturnType<typeof setTimeout> | null = null;

  start(): void {
    // The click that brings the window back may land on a button that sends.
    addEventListener("focus", () => this.arm());
  }

  arm(): void {
    this.#guard.arm(performance.now());
    this.#follow();
  }

  /** Whether an action that sends may act now. */
  admits(): boolean {
    const admitted = this.#guard.admits(performance.now());
    if (!admitted) this.#follow();
    return admitted;
  }

  #follow(): void {
    this.active = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.active = false;
    }, this.#guard.remaining(performance.now()));
  }
}

export const guard = new Guard();
