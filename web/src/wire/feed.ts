// Keeps this page's event stream alive. Invariant: no event is missed silently: the stream resumes at the last cursor,
// `nudge` reads the gap at once without waiting for the stream, and a lost cursor is announced by `onReset`.

import { Problem, sync, urlOf } from "./api";
import { SseParser } from "./sse";
import type { FeedEvent } from "./types";

const HEARTBEAT_MS = 15_000;
export const STALE_MS = HEARTBEAT_MS * 1.5;
const CONNECT_MS = 10_000;
const BACKOFF_MS = [0, 1000, 2000, 5000, 10_000, 30_000];
const SYNC_PAGES_MAX = 100;

export interface FeedWatcher {
  onEvent(event: FeedEvent): void;
  /** A fresh stream, or one whose cursor is unknown: read everything again. */
  onReset(): void;
  /** Bytes arrived. */
  onAlive(): void;
  onDown(): void;
  onSignedOut(): void;
}

export class Feed {
  #cursor: string | null = null;
  #lastByteAt = 0;
  #failures = 0;
  #stream: AbortController | null = null;
  #wake: (() => void) | null = null;
  #running = false;

  constructor(readonly watcher: FeedWatcher) {}

  start(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#run();
    setInterval(() => this.#replaceIfStale(), HEARTBEAT_MS / 3);
  }

  /** On show, resume and online: reads the gap now and replaces a stream that went silent. */
  async nudge(): Promise<void> {
    this.#replaceIfStale();
    this.#failures = 0;
    this.#wake?.();
    await this.#readGap();
  }

  async #run(): Promise<void> {
    for (;;) {
      try {
        await this.#listen();
      } catch {
        // Cut, refused, silent or replaced: all end here and are tried again.
      }
      this.watcher.onDown();
      await this.#pause();
      // A proxy may hold a stream back and still let replies through: then the page lives on this.
      void this.#readGap();
    }
  }

  async #listen(): Promise<void> {
    const stream = new AbortController();
    this.#stream = stream;
    this.#lastByteAt = performance.now();
    const giveUp = setTimeout(() => stream.abort(), CONNECT_MS);
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (this.#cursor) headers["Last-Event-ID"] = this.#cursor;
    try {
      const response = await fetch(urlOf("v1/events"), { headers, signal: stream.signal, cache: "no-store" });
      if (response.status === 401) this.watcher.onSignedOut();
      if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
      clearTimeout(giveUp);
      await this.#read(response.body);
    } finally {
      clearTimeout(giveUp);
      stream.abort();
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = new SseParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#lastByteAt = performance.now();
      this.#failures = 0;
      this.watcher.onAlive();
      for (const event of parser.push(decoder.decode(value, { stream: true }))) {
        this.#take(event.type, event.data, event.id);
      }
    }
  }

  #take(type: string, data: string, id: string | null): void {
    const body = JSON.parse(data) as FeedEvent & { next?: string };
    if (type === "ready" || type === "reset") {
      this.#cursor = body.next ?? id ?? null;
      this.watcher.onReset();
      return;
    }
    this.watcher.onEvent(body);
    if (id) this.#cursor = id;
  }

  async #readGap(): Promise<void> {
    if (!this.#cursor) this.watcher.onReset();
    for (let page = 0; this.#cursor && page < SYNC_PAGES_MAX; page++) {
      try {
        const gap = await sync(this.#cursor);
        if (gap.reset) this.watcher.onReset();
        for (const event of gap.events) this.watcher.onEvent(event);
        this.#cursor = gap.next;
        if (gap.events.length === 0) return;
      } catch (error) {
        if (error instanceof Problem && error.status === 401) this.watcher.onSignedOut();
        return;
      }
    }
  }

  #replaceIfStale(): void {
    if (performance.now() - this.#lastByteAt > STALE_MS) this.#stream?.abort();
  }

  /** The first retry is at once, then ever later; `nudge` ends the pause. */
  async #pause(): Promise<void> {
    const base = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)] ?? 0;
    this.#failures += 1;
    const jittered = base * (0.75 + Math.random() / 2);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, jittered);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }
}
