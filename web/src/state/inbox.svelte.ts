// All calls this page knows, and the rows drawn from them. Invariant: a call is only ever replaced by a newer copy; rows
// move only when nobody is at work on them; counts are derived from what is known, never counted up or down.

import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { isSettled, newer, withParsed } from "../model/call";
import { type Attention, isFrozen, newcomers, orderOf, type Row } from "../model/order";
import * as api from "../wire/api";
import type { Call, CallNodes, FeedEvent, Me } from "../wire/types";
import { announcer } from "./announce.svelte";
import { clock } from "./clock.svelte";
import { drafts } from "./drafts.svelte";
import { selection } from "./selection.svelte";

const LIST_PAGES_MAX = 5;
const HISTORY_PAGE = 60;
const SETTLED = { q: null, status: "settled" };
const GATHER_MS = 30;
const RETRY_MS = 3000;
/** Above this many changed calls one list is cheaper than reading each. */
const SINGLE_READS_MAX = 12;

class Inbox {
  readonly calls = new SvelteMap<string, Call>();
  readonly nodes = new SvelteMap<string, CallNodes>();
  /** Ids that the hub does not know (for this person). */
  readonly missing = new SvelteSet<string>();
  rows = $state.raw<Row[]>([]);
  history = $state.raw<string[]>([]);
  historyCursor = $state.raw<string | null>(null);
  historyLoaded = $state(false);
  loaded = $state(false);
  /** The list is longer than this page reads. */
  hasMore = $state(false);
  checkedAt = $state.raw<number | null>(null);
  me = $state.raw<Me | null>(null);

  readonly pending = $derived([...this.calls.values()].filter((call) => !isSettled(call)));
  /** Those that still need somebody: a held answer needs nobody. */
  readonly open = $derived(this.pending.filter((call) => call.held === null));
  readonly waiting = $derived(newcomers(this.rows, this.pending));

  attention: Omit<Attention, "now"> = {
    lastInputAt: Number.NEGATIVE_INFINITY,
    lastKeyMoveAt: Number.NEGATIVE_INFINITY,
    pointerOverList: false,
    focusInList: false,
    callOpen: false,
  };

  /** A pending call that this page did not know. */
  onArrival: (call: Call) => void = () => {};
  /** A call that needs nobody any more. */
  onEnd: (id: string) => void = () => {};

  #changed = new Set<string>();
  #ended = new Set<string>();
  #flushing: ReturnType<typeof setTimeout> | null = null;
  #reading = new Map<string, Promise<void>>();
  #nodesAreServed = true;
  #historyWishes = 0;

  async loadMe(): Promise<void> {
    const sent = performance.now();
    this.me = await api.me();
    clock.measure(Date.parse(this.me.server_time), sent, performance.now(), 1);
  }

  /** Reads the pending calls again, and those that this page still thinks pending but the list does not show. */
  async reload(): Promise<void> {
    const known = new Set(this.pending.map((call) => call.id));
    let cursor: string | null = null;
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const list: api.CallPage = await api.pendingCalls(cursor);
      for (const call of list.calls) {
        known.delete(call.id);
        if (this.#ended.has(call.id)) this.changed(call.id);
        else this.#take(call);
      }
      // The first list is drawn whatever the person is doing meanwhile: no row was there to be moved.
      if (!this.loaded) this.adopt();
      cursor = list.next_cursor;
      if (!cursor) break;
    }
    this.hasMore = cursor !== null;
    this.checkedAt = clock.exact();
    const isFirst = !this.loaded;
    this.loaded = true;
    this.settleRows();
    // Only a whole list says that what it lacks has ended.
    if (this.hasMore) return;
    for (const id of known) this.changed(id);
    if (isFirst) void drafts.markEnded((id) => this.calls.get(id)?.status === "pending");
  }

  onEvent(event: FeedEvent): void {
    if (event.status !== "pending") this.#ended.add(event.call_id);
    this.changed(event.call_id);
  }

  changed(id: string): void {
    this.#changed.add(id);
    this.#flushing ??= setTimeout(() => void this.#flush(), GATHER_MS);
  }

  async #flush(): Promise<void> {
    const ids = [...this.#changed];
    this.#changed.clear();
    this.#flushing = null;
    if (ids.length > SINGLE_READS_MAX) {
      await this.reload().catch(() => this.#retry(ids));
      // What the list shows is fresh; what it does not show has ended or is not ours to see.
      for (const id of ids) if (this.calls.has(id) && this.#ended.has(id)) await this.read(id);
      return;
    }
    await Promise.all(ids.map((id) => this.read(id)));
  }

  #retry(ids: string[]): void {
    for (const id of ids) this.#changed.add(id);
    this.#flushing ??= setTimeout(() => void this.#flush(), RETRY_MS);
  }

  /** Reads one call; a second wish while the first is on its way reads once more, because it may be older. */
  async read(id: string, withNodes = false): Promise<void> {
    await this.#reading.get(id);
    const reading = this.#readNow(id, withNodes && this.#nodesAreServed);
    this.#reading.set(id, reading);
    await reading;
    if (this.#reading.get(id) === reading) this.#reading.delete(id);
  }

  async #readNow(id: string, withNodes: boolean): Promise<void> {
    try {
      this.apply(await api.readCall(id, withNodes));
      this.missing.delete(id);
    } catch (error) {
      const status = error instanceof api.Problem ? error.status : 0;
      if (withNodes && (status === 400 || status === 422)) {
        this.#nodesAreServed = false;
        await this.#readNow(id, false);
      } else if (status === 404 || status === 400) this.missing.add(id);
      else if (status !== 401) this.#retry([id]);
    }
  }

  /** Takes in a copy of a call, however it came. */
  apply(arrived: Call): void {
    this.#take(arrived);
    this.settleRows();
  }

  #take(arrived: Call): void {
    const { nodes, ...call } = arrived;
    if (nodes) this.nodes.set(call.id, nodes);
    const known = this.calls.get(call.id);
    let kept = newer(known, call);
    const questions = nodes ? withParsed(call.questions, nodes) : known?.questions;
    if (questions && questions !== kept.questions && questions.length === kept.questions.length) {
      kept = { ...kept, questions };
    }
    if (kept === known) return;
    this.calls.set(call.id, kept);
    if (isSettled(kept)) {
      this.#ended.add(kept.id);
      selection.ids.delete(kept.id);
      this.onEnd(kept.id);
    } else if (!known && this.loaded) {
      announcer.arrived(kept);
      this.onArrival(kept);
    }
    this.#followDraft(kept);
  }

  #followDraft(call: Call): void {
    const draft = drafts.get(call.id);
    if (!draft || !isSettled(call)) return;
    if (draft.sentAt !== null && call.delivered_at) void drafts.discard(call.id);
    else if (draft.endedAt === null) drafts.change(call.id, { endedAt: clock.exact() });
  }

  /** Draws the present order if nobody is at work on the drawn one. */
  settleRows(): void {
    if (!this.loaded) return;
    // Not the hub's time: a correction of that must not make anybody idle or busy.
    const attention = { ...this.attention, now: performance.now() };
    const hasOpenRow = this.rows.some((row) => this.calls.get(row.id)?.status === "pending");
    const disturbsNobody = this.rows.length === 0 || (!hasOpenRow && !attention.callOpen);
    if (disturbsNobody || !isFrozen(attention)) this.adopt();
  }

  /** Draws the present order now: the person asked for it, or nothing can be disturbed. */
  adopt(): void {
    const rows = orderOf(this.pending, clock.exact());
    const isSame = rows.length === this.rows.length && rows.every((row, at) => isSameRow(row, this.rows[at]));
    if (!isSame) this.rows = rows;
  }

  /** `wanted` is what the hub looks for; the last wish wins. */
  async loadHistory(older = false, wanted: { q: string | null; status: string } = SETTLED): Promise<void> {
    const wish = ++this.#historyWishes;
    const page = await api.endedCalls(older ? this.historyCursor : null, HISTORY_PAGE, wanted);
    if (wish !== this.#historyWishes) return;
    for (const call of page.calls) this.apply(call);
    const ids = page.calls.map((call) => call.id);
    this.history = older ? [...new Set([...this.history, ...ids])] : ids;
    this.historyCursor = page.next_cursor;
    this.historyLoaded = true;
  }
}

function isSameRow(a: Row, b: Row | undefined): boolean {
  return a.id === b?.id && a.bucket === b.bucket;
}

export const inbox = new Inbox();
