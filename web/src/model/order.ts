// The order of the inbox and when it may change. Invariant: while somebody is at work the drawn rows stay where they
// are: what is new waits to be taken in, what ended dims in place.

import type { Call } from "../wire/types";
import { isUrgent } from "./call";
import { SECOND, SOON_MS } from "./time";

export type Bucket = "soon" | "urgent" | "waiting";

export const BUCKET_WORDS: Record<Bucket, string> = {
  soon: "Due within 15 min",
  urgent: "Urgent",
  waiting: "Waiting",
};

/** One drawn row: its bucket is the one it had when it was drawn. */
export interface Row {
  id: string;
  bucket: Bucket;
}

export const IDLE_MS = 30 * SECOND;
export const KEY_MOVE_MS = 3 * SECOND;

/** What holds the rows; times by a clock of this machine that only runs forward. */
export interface Attention {
  now: number;
  lastInputAt: number;
  lastKeyMoveAt: number;
  pointerOverList: boolean;
  focusInList: boolean;
  callOpen: boolean;
}

/** Whether rows must not move. Half a minute without any input releases everything. */
export function isFrozen(attention: Attention): boolean {
  if (attention.now - attention.lastInputAt >= IDLE_MS) return false;
  const movedByKeys = attention.now - attention.lastKeyMoveAt < KEY_MOVE_MS;
  return attention.pointerOverList || attention.focusInList || attention.callOpen || movedByKeys;
}

export function bucketOf(call: Call, now: number): Bucket {
  if (call.expires_at && Date.parse(call.expires_at) - now <= SOON_MS) return "soon";
  return isUrgent(call) ? "urgent" : "waiting";
}

const RANK: Record<Bucket, number> = { soon: 0, urgent: 1, waiting: 2 };

/** The order to draw: by bucket, then deadline, then oldest first, then id. */
export function orderOf(pending: Iterable<Call>, now: number): Row[] {
  const keyed = Array.from(pending, (call) => ({
    id: call.id,
    bucket: bucketOf(call, now),
    due: call.expires_at ? Date.parse(call.expires_at) : Number.POSITIVE_INFINITY,
    asked: Date.parse(call.asked_at),
  }));
  keyed.sort((a, b) => RANK[a.bucket] - RANK[b.bucket] || byNumber(a.due, b.due) || a.asked - b.asked || byId(a, b));
  return keyed.map(({ id, bucket }) => ({ id, bucket }));
}

/** Pending calls that are not drawn. */
export function newcomers(drawn: Row[], pending: Iterable<Call>): Call[] {
  const shown = new Set(drawn.map((row) => row.id));
  return Array.from(pending).filter((call) => !shown.has(call.id));
}

/** The row to open after `id` is done with: the next one below that can still be answered, else the first above. */
export function nextOpen(drawn: Row[], id: string, isPending: (id: string) => boolean): string | null {
  const at = drawn.findIndex((row) => row.id === id);
  const below = drawn.slice(at + 1).concat(drawn.slice(0, Math.max(0, at)));
  return below.find((row) => row.id !== id && isPending(row.id))?.id ?? null;
}

function byNumber(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function byId(a: Row, b: Row): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
