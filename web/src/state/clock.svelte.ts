// The server's time on this page, ticking once a second for everybody. Invariant: one timer, none while hidden; each
// reply of the hub corrects it, so a wrong machine clock moves no deadline.

import { SECOND, ServerClock } from "../model/time";

class Clock {
  #server = new ServerClock(Date.now(), performance.now());
  /** The server's time in milliseconds, as of the last tick. */
  now = $state(Date.now());
  #timer: ReturnType<typeof setInterval> | null = null;

  start(): void {
    const follow = () => (document.hidden ? this.#stop() : this.#run());
    document.addEventListener("visibilitychange", follow);
    follow();
  }

  /** The server's time right now. */
  exact(): number {
    return this.#server.now(performance.now());
  }

  measure(server: number, sent: number, received: number, resolution: number): void {
    this.#server.measure(server, sent, received, resolution);
    const drift = Math.abs(this.exact() - this.now);
    if (drift > SECOND) this.now = this.exact();
  }

  #run(): void {
    this.now = this.exact();
    this.#timer ??= setInterval(() => {
      this.now = this.exact();
    }, SECOND);
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}

export const clock = new Clock();
