// Sends what a person decided, and knows where it is. Invariant: everything is keyed by call id, so one slow call
// blocks no other; at most one request per call is under way; a retry sends the same bytes under the same answer id.

import { SvelteMap } from "svelte/reactivity";
import { answersOf, draftOf, faultsFromServer, faultsOnSend, isOutcome } from "../model/answer";
import { APPROVE, isRisky } from "../model/approval";
import { heldSeconds, isSettled } from "../model/call";
import { type Draft, isBlank } from "../model/draft";
import { toText } from "../model/json";
import { nextOpen } from "../model/order";
import { MINUTE, SECOND } from "../model/time";
import * as api from "../wire/api";
import type { Call } from "../wire/types";
import { announcer } from "./announce.svelte";
import { clock } from "./clock.svelte";
import { drafts, uuid } from "./drafts.svelte";
import { inbox } from "./inbox.svelte";
import { link } from "./link.svelte";
import { route } from "./route.svelte";
import { settings } from "./settings.svelte";

export const EXTEND_MS = 15 * MINUTE;

export type What = "answer" | "decline" | "extend" | "undo";

export interface Sending {
  what: What;
  phase: "sending" | "failed";
  /** Why it failed, in words. */
  words: string;
}

const NO_FAULTS: ReadonlyMap<string, string> = new Map();

class Sender {
  readonly states = new SvelteMap<string, Sending>();
  /** Calls that somebody tried to send: from then on faults show at once. */
  readonly attempted = new SvelteMap<string, boolean>();
  readonly serverFaults = new SvelteMap<string, ReadonlyMap<string, string>>();
  #isFlushing = false;
  /** The call whose answer went out last, for the line that says where it is. */
  lastSent = $state.raw<string | null>(null);

  faults(call: Call): ReadonlyMap<string, string> {
    const draft = drafts.get(call.id);
    if (!draft || !this.attempted.get(call.id)) return this.serverFaults.get(call.id) ?? NO_FAULTS;
    return new Map([...(this.serverFaults.get(call.id) ?? NO_FAULTS), ...faultsOnSend(call, draft)]);
  }

  isSending(callId: string): boolean {
    return this.states.get(callId)?.phase === "sending";
  }

  /** Sends the draft as the answer; late if the call has ended. True if it went out and was taken. */
  async answer(call: Call): Promise<boolean> {
    let draft = drafts.get(call.id);
    if (!draft || this.isSending(call.id)) return false;
    this.attempted.set(call.id, true);
    this.serverFaults.delete(call.id);
    if (faultsOnSend(call, draft).size > 0) return false;
    if (link.state === "offline") return this.#queue(call.id);
    this.states.set(call.id, { what: "answer", phase: "sending", words: "" });
    const answers = answersOf(call, draft);
    const hold_seconds = holdOf(call, draft);
    const content = toText(answers);
    if (draft.refusedBody !== null && draft.refusedBody !== content) {
      drafts.change(call.id, { answerId: uuid(), refusedBody: null });
    }
    // Stored before it leaves: a reload in between must retry under the same id.
    await drafts.save(call.id);
    draft = drafts.get(call.id) ?? draft;
    try {
      const settled = await api.answerCall(call.id, toText({ answers, answer_id: draft.answerId, hold_seconds }));
      this.#sent(settled);
      return true;
    } catch (error) {
      if (error instanceof api.NoReply && !navigator.onLine) return this.#queue(call.id);
      const isRefused = error instanceof api.Problem && error.status < 500 && error.status !== 401;
      if (isRefused) drafts.change(call.id, { refusedBody: content });
      if (error instanceof api.Problem && error.errors.length > 0) {
        this.serverFaults.set(call.id, faultsFromServer(answers, error.errors));
      }
      return this.#failed(call, "answer", error);
    }
  }

  /** Sends what was sent without a connection, once each: the answer's id is as old as its draft. */
  async flush(): Promise<void> {
    if (this.#isFlushing || !navigator.onLine) return;
    this.#isFlushing = true;
    for (const id of await drafts.queued()) {
      await drafts.load(id);
      await inbox.read(id);
      const call = inbox.calls.get(id);
      if (!call || !drafts.get(id)?.queued) continue;
      drafts.change(id, { queued: false });
      await this.answer(call);
    }
    this.#isFlushing = false;
  }

  async #queue(id: string): Promise<boolean> {
    this.states.delete(id);
    drafts.change(id, { queued: true });
    await drafts.save(id);
    announcer.say("You are offline. Your answer is kept, and sent when you are back.");
    return false;
  }

  /** Refuses, or asks to be asked differently: what was filled in goes along. */
  async decline(call: Call, clarify: boolean): Promise<boolean> {
    const draft = drafts.get(call.id);
    if (!draft || this.isSending(call.id)) return false;
    this.states.set(call.id, { what: "decline", phase: "sending", words: "" });
    await drafts.save(call.id);
    const answers = answersOf(call, draft);
    const body: api.Decline = { answer_id: `${draft.answerId}-${clarify ? "clarify" : "decline"}`, clarify };
    if (!isBlank(draft.reason)) body.reason = draft.reason;
    if (answers.length > 0) body.answers = answers;
    if (settings.undoSeconds > 0 && !isSettled(call)) body.hold_seconds = settings.undoSeconds;
    try {
      this.#sent(await api.declineCall(call.id, body));
      return true;
    } catch (error) {
      return this.#failed(call, "decline", error);
    }
  }

  /** The call whose answer this person can still take back: the last one sent, else any. */
  undoable(): Call | null {
    const last = this.lastSent === null ? undefined : inbox.calls.get(this.lastSent);
    const candidates = [last, ...inbox.pending];
    return candidates.find((call) => call !== undefined && this.isHeldByMe(call)) ?? null;
  }

  isHeldByMe(call: Call): boolean {
    return call.held !== null && !isSettled(call) && call.held.by.id === inbox.me?.id;
  }

  /** Takes a held answer back, and leads to what was typed. */
  async undo(call: Call): Promise<void> {
    if (!call.held || this.isSending(call.id)) return;
    this.states.set(call.id, { what: "undo", phase: "sending", words: "" });
    try {
      const undone = await api.undoCall(call.id, call.held.answer_id);
      await drafts.load(call.id);
      // What is sent from here on is another answer: the old id names the one that was taken back.
      drafts.change(call.id, { sentAt: null, answerId: uuid(), refusedBody: null });
      this.states.delete(call.id);
      if (this.lastSent === call.id) this.lastSent = null;
      inbox.apply(undone);
      route.open(call.id);
      announcer.say("Taken back. Nothing was sent.");
    } catch (error) {
      await this.#failed(call, "undo", error);
    }
  }

  async extend(call: Call): Promise<void> {
    if (!call.expires_at || call.hard_deadline || this.isSending(call.id) || isSettled(call)) return;
    this.states.set(call.id, { what: "extend", phase: "sending", words: "" });
    const left = Math.max(0, Date.parse(call.expires_at) - clock.exact());
    try {
      inbox.apply(await api.extendCall(call.id, Math.ceil((left + EXTEND_MS) / SECOND), uuid()));
      this.states.delete(call.id);
      announcer.say("The deadline is 15 minutes later.");
    } catch (error) {
      await this.#failed(call, "extend", error);
    }
  }

  #sent(settled: Call): void {
    drafts.change(settled.id, { sentAt: clock.exact() });
    this.states.delete(settled.id);
    this.attempted.delete(settled.id);
    this.lastSent = settled.id;
    inbox.apply(settled);
    const seconds = heldSeconds(settled, clock.exact());
    announcer.say(this.isHeldByMe(settled) ? `Sending in ${seconds} seconds. Press u to undo.` : "Answer sent.");
    if (route.place.callId !== settled.id || settings.stayAfterSend || isNarrow()) return;
    const next = nextOpen(inbox.rows, settled.id, (id) => needsSomebody(inbox.calls.get(id)));
    if (next) route.open(next);
  }

  async #failed(call: Call, what: What, error: unknown): Promise<boolean> {
    if (error instanceof api.Problem && error.call) inbox.apply(error.call);
    else await inbox.read(call.id);
    if (this.#arrivedAfterAll(call.id)) return true;
    const known = inbox.calls.get(call.id);
    const lostRace = error instanceof api.Problem && error.code === "already_settled";
    if (lostRace) {
      // The call itself says how it ended, and the hub kept what was sent beside the outcome.
      this.states.delete(call.id);
      const isAnswer = what === "answer" || what === "decline";
      if (isAnswer && known?.late_answers.some((late) => late.by.id === inbox.me?.id)) {
        drafts.change(call.id, { sentAt: clock.exact() });
      }
      announcer.interrupt(isAnswer ? "The call had ended. Your answer is kept as a late answer." : ENDED_WORDS[what]);
      return false;
    }
    const words = wordsOf(error);
    if (error instanceof api.Problem && error.status === 401) link.signedOut();
    this.states.set(call.id, { what, phase: "failed", words });
    announcer.interrupt(known && isSettled(known) ? `The call has ended. ${words}` : words);
    return false;
  }

  /** The reply may have been lost after the hub had taken the answer. */
  #arrivedAfterAll(callId: string): boolean {
    const call = inbox.calls.get(callId);
    const draft = drafts.get(callId);
    const isMine = call?.outcome?.by?.id !== undefined && call.outcome.by.id === inbox.me?.id;
    const isHeld = call !== undefined && this.isHeldByMe(call) && call.held?.answer_id === draft?.answerId;
    if (!call || !draft || !(isHeld || (isMine && isOutcome(call, draft)))) return false;
    this.#sent(call);
    return true;
  }
}

const ENDED_WORDS = { extend: "The call has ended.", undo: "Too late: the answer has gone out." };

/** What is hard to put right was confirmed, and what comes late changes nothing: neither is held. */
function holdOf(call: Call, draft: Draft): number | undefined {
  const isConfirmed = call.questions.some((question) => {
    return question.kind === "approval" && isRisky(question) && draftOf(draft, question).selected[0] === APPROVE;
  });
  return isSettled(call) || isConfirmed || settings.undoSeconds === 0 ? undefined : settings.undoSeconds;
}

/** Whether a call still waits for an answer. */
export function needsSomebody(call: Call | undefined): boolean {
  return call?.status === "pending" && call.held === null;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof api.Problem)) return "The hub did not reply. Nothing is lost: try again.";
  if (error.status === 401) return "You are signed out. Sign in again, then send.";
  if (error.code === "held") return "Somebody else's answer is about to be sent. If it is taken back, send yours.";
  if (error.status === 404) return "The hub no longer has this call.";
  if (error.status === 429)
    return `The hub is busy. Try again ${error.retryAfter ? `in ${error.retryAfter} s` : "in a moment"}.`;
  if (error.status >= 500) return `The hub failed (${error.status}). Nothing is lost: try again.`;
  return `The hub refused it: ${error.message}.`;
}

function isNarrow(): boolean {
  return matchMedia("(max-width: 719px)").matches;
}

export const sender = new Sender();
