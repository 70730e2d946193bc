// Wall clocks of the world. Invariant: what leaves here is RFC 3339 with the offset that holds in that zone at that
// time, summer time included.

const MINUTE = 60_000;

export function myZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Minutes that the zone is ahead of UTC at this instant. */
function offsetAt(instant: number, zone: string): number {
  const options: Intl.DateTimeFormatOptions = {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  };
  const parts = new Intl.DateTimeFormat("en-US", options).formatToParts(instant);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const wall = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"));
  return Math.round((wall - Math.floor(instant / MINUTE) * MINUTE) / MINUTE);
}

/** A wall clock's time (`2026-11-30T14:00`) in a zone as RFC 3339; null if it is no time. */
export function instantOf(wall: string, zone: string): string | null {
  const asUtc = Date.parse(`${wall}Z`);
  if (Number.isNaN(asUtc)) return null;
  // The offset depends on the instant that it helps to find: the second look is right but for times that do not exist.
  const near = offsetAt(asUtc - offsetAt(asUtc, zone) * MINUTE, zone);
  const sign = near < 0 ? "-" : "+";
  const two = (count: number) => String(count).padStart(2, "0");
  const seconds = wall.length === 16 ? ":00" : "";
  return `${wall}${seconds}${sign}${two(Math.floor(Math.abs(near) / 60))}:${two(Math.abs(near) % 60)}`;
}

/** An instant as a wall clock of the zone shows it: `2026-11-30T14:00`; empty if it is none. */
export function wallOf(instant: string, zone: string): string {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return "";
  return new Date(at + offsetAt(at, zone) * MINUTE).toISOString().slice(0, 16);
}

/** An instant in words, in a zone. */
export function inZone(instant: string, zone: string, locale?: string): string {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return instant;
  const options: Intl.DateTimeFormatOptions = { timeZone: zone, dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(locale, options).format(at);
}

/** The day `days` after this instant there, as `2026-11-30`. */
export function dayAfter(now: number, zone: string, days: number): string {
  const today = wallOf(new Date(now).toISOString(), zone).slice(0, 10);
  return new Date(Date.parse(`${today}T00:00Z`) + days * 24 * 60 * MINUTE).toISOString().slice(0, 10);
}
