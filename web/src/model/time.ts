// Time as people read it, and the server's time as this page knows it. Invariant: pure; every function takes `now` in
// the server's milliseconds, and the local wall clock is never trusted for a deadline.

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const SOON_MS = 15 * MINUTE;
/** When a deadline is spoken, and nothing in between: a countdown read aloud each second is noise. */
export const MILESTONES = [10 * MINUTE, 5 * MINUTE, MINUTE, 30 * SECOND];

/** The server's clock, measured from replies against a local clock that only runs forward. */
export class ServerClock {
  #serverAt: number;
  #localAt: number;
  #uncertainty = Number.POSITIVE_INFINITY;

  constructor(wall: number, local: number) {
    this.#serverAt = wall;
    this.#localAt = local;
  }

  now(local: number): number {
    return this.#serverAt + (local - this.#localAt);
  }

  /** Takes a reply's time (`resolution`: what it is rounded down to). A worse measurement only counts if it disagrees. */
  measure(server: number, sent: number, received: number, resolution: number): void {
    if (!Number.isFinite(server)) return;
    const uncertainty = (received - sent) / 2 + resolution / 2;
    const local = (sent + received) / 2;
    const estimate = server + resolution / 2;
    const disagrees = Math.abs(estimate - this.now(local)) > uncertainty;
    if (!disagrees && uncertainty >= this.#uncertainty) return;
    this.#serverAt = estimate;
    this.#localAt = local;
    this.#uncertainty = uncertainty;
  }
}

/** `4:12` below an hour, `2 h 05 min` below a day, `3 d 4 h` above. */
export function countdown(left: number): string {
  const seconds = Math.max(0, Math.ceil(left / SECOND));
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** The same for the narrow column of a list. */
export function shortCountdown(left: number): string {
  if (left < HOUR) return countdown(left);
  return left < DAY ? `${Math.floor(left / HOUR)} h` : `${Math.floor(left / DAY)} d`;
}

/** How long ago, in the shortest words. */
export function age(elapsed: number): string {
  if (elapsed < MINUTE) return "now";
  if (elapsed < HOUR) return `${Math.floor(elapsed / MINUTE)} min`;
  if (elapsed < DAY) return `${Math.floor(elapsed / HOUR)} h`;
  return `${Math.floor(elapsed / DAY)} d`;
}

export function ago(elapsed: number): string {
  return elapsed < MINUTE ? "just now" : `${age(elapsed)} ago`;
}

/** How much before the deadline the page warns: two minutes or a fifth of the span, whichever is less, at least 20 s. */
export function warningSpan(span: number): number {
  return Math.max(20 * SECOND, Math.min(2 * MINUTE, span / 5));
}

/** The milestone that the countdown passed between two ticks, or null. */
export function milestonePassed(leftBefore: number, left: number): number | null {
  return MILESTONES.find((milestone) => leftBefore > milestone && left <= milestone && left > 0) ?? null;
}

export function milestoneWords(milestone: number): string {
  if (milestone < MINUTE) return `${milestone / SECOND} seconds left`;
  return milestone === MINUTE ? "1 minute left" : `${milestone / MINUTE} minutes left`;
}

const TIME = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const SHORT_TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

/** `12:04:33`; with the day if it was not today. */
export function clockTime(instant: number | string, now: number, precise = true): string {
  const date = new Date(instant);
  const time = (precise ? TIME : SHORT_TIME).format(date);
  return date.toDateString() === new Date(now).toDateString() ? time : `${DATE.format(date)}, ${time}`;
}

export function fullTime(instant: number | string): string {
  return FULL.format(new Date(instant));
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
