// Keeps an action meant for what was on screen a moment ago from reaching what is there now. Invariant: after the
// visible call changes, nothing that sends acts for 400 ms, restarted by each press it swallows, for 2 s at most.

export const GUARD_MS = 400;
export const GUARD_MAX_MS = 2000;

export class InputGuard {
  #armedAt = Number.NEGATIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;

  arm(now: number): void {
    this.#armedAt = now;
    this.#until = now + GUARD_MS;
  }

  isActive(now: number): boolean {
    return now < this.#until;
  }

  /** Whether a press may act now; one that may not makes the wait longer. */
  admits(now: number): boolean {
    if (!this.isActive(now)) return true;
    this.#until = Math.min(now + GUARD_MS, this.#armedAt + GUARD_MAX_MS);
    return false;
  }

  remaining(now: number): number {
    return Math.max(0, this.#until - now);
  }
}
