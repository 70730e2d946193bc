// Tells colleagues that this person is answering a call. Invariant: never what is typed; a claim that was taken by
// looking or typing is given back on leaving; that it cannot be told stops nobody.

import { isSettled } from "../model/call";
import { SECOND } from "../model/time";
import * as api from "../wire/api";
import { inbox } from "./inbox.svelte";
import { settings } from "./settings.svelte";

const TYPING_EVERY_MS = 15 * SECOND;

class Colleagues {
  #toldAt = new Map<string, number>();

  /** At most one word in 15 s, while it is true. It also keeps the deadline off. */
  typing(callId: string): void {
    const call = inbox.calls.get(callId);
    const told = this.#toldAt.get(callId) ?? Number.NEGATIVE_INFINITY;
    if (!settings.tellsColleagues || !call || isSettled(call) || performance.now() - told < TYPING_EVERY_MS) return;
    this.#toldAt.set(callId, performance.now());
    void this.#tell(callId, "typing");
  }

  isMine(callId: string): boolean {
    const claim = inbox.calls.get(callId)?.claim;
    return claim?.by.id !== undefined && claim.by.id === inbox.me?.id;
  }

  async claim(callId: string): Promise<void> {
    this.#toldAt.set(callId, performance.now());
    await this.#tell(callId, "claim");
  }

  async release(callId: string): Promise<void> {
    this.#toldAt.delete(callId);
    if (this.isMine(callId)) await this.#tell(callId, "release");
  }

  async #tell(callId: string, what: "claim" | "typing" | "release"): Promise<void> {
    try {
      inbox.apply(await api.tellColleagues(callId, what));
    } catch {
      this.#toldAt.delete(callId);
    }
  }
}

export const colleagues = new Colleagues();
