// The drafts on screen, saved as they are typed and shared with this person's other tabs. Invariant: keyed by call id,
// never "the current one"; an edit of another tab never reaches a field that has the caret.

import { SvelteMap } from "svelte/reactivity";
import { type Draft, emptyDraft, emptyQuestionDraft, hasContent, isOver, type QuestionDraft } from "../model/draft";
import { clock } from "./clock.svelte";
import { DraftStore } from "./draftStore";

const SAVE_MS = 100;
const CHANNEL = "askhub.drafts";

interface Shared {
  callId: string;
  questionId: string;
  edited: QuestionDraft;
}

class Drafts {
  #store = new DraftStore();
  #open = new SvelteMap<string, Draft>();
  #unsaved = new Map<string, ReturnType<typeof setTimeout>>();
  /** How many saves of a call are under way; until it is none, only the page has the draft for certain. */
  #saving = new Map<string, number>();
  #channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : null;
  /** What other tabs typed while this tab's field had the caret. */
  #held = new Map<string, Shared>();
  /** Ids of calls with something typed, for the marks in the list. */
  touched = $state.raw<ReadonlySet<string>>(new Set());

  start(): void {
    const keep = () => this.#saveNow();
    addEventListener("pagehide", keep);
    document.addEventListener("visibilitychange", () => document.hidden && keep());
    document.addEventListener("focusout", () => this.#takeHeld());
    if (this.#channel) this.#channel.onmessage = (message) => this.#receive(message.data as Shared);
    void this.#prune();
  }

  get(callId: string): Draft | undefined {
    return this.#open.get(callId);
  }

  /** Loads the draft of a call, or makes it together with its answer id. */
  async load(callId: string): Promise<void> {
    if (this.#open.has(callId)) return;
    const stored = await this.#store.getOrPut(emptyDraft(callId, crypto.randomUUID?.() ?? uuid()));
    if (!this.#open.has(callId)) this.#open.set(callId, stored);
  }

  question(draft: Draft, questionId: string): QuestionDraft {
    return draft.questions[questionId] ?? emptyQuestionDraft();
  }

  edit(callId: string, questionId: string, change: Partial<QuestionDraft>): void {
    const draft = this.#open.get(callId);
    if (!draft) return;
    const edited = { ...this.question(draft, questionId), ...change, editedAt: Date.now() };
    // Whoever goes on editing has not sent it.
    this.change(callId, { questions: { ...draft.questions, [questionId]: edited }, sentAt: null, queued: false });
    this.#channel?.postMessage({ callId, questionId, edited } satisfies Shared);
  }

  /** Changes anything but a question's fields. */
  change(callId: string, change: Partial<Draft>): void {
    const draft = this.#open.get(callId);
    if (!draft) return;
    const changed = { ...draft, ...change };
    this.#open.set(callId, changed);
    this.#mark(changed);
    if (!this.#unsaved.has(callId)) {
      this.#unsaved.set(
        callId,
        setTimeout(() => void this.save(callId), SAVE_MS),
      );
    }
  }

  /** Resolves when the draft is stored. */
  async save(callId: string): Promise<void> {
    clearTimeout(this.#unsaved.get(callId));
    this.#unsaved.delete(callId);
    const draft = this.#open.get(callId);
    if (!draft) return;
    const stored = { ...draft, savedAt: Date.now() };
    this.#saving.set(callId, (this.#saving.get(callId) ?? 0) + 1);
    const where = await this.#store.put(stored);
    const others = (this.#saving.get(callId) ?? 1) - 1;
    if (others > 0) this.#saving.set(callId, others);
    else this.#saving.delete(callId);
    const current = this.#open.get(callId);
    // Not if it was changed meanwhile: the journal may have the newer one. A draft that was discarded meanwhile is nowhere.
    if (!where || others > 0 || this.#unsaved.has(callId)) return;
    if (where === "database" || !current) this.#store.clearJournal(callId);
    if (!current) return;
    if (hasContent(current)) this.#open.set(callId, { ...current, savedAt: stored.savedAt });
  }

  /** Calls whose answers wait for a connection. */
  async queued(): Promise<string[]> {
    const open = [...this.#open.values()];
    const stored = (await this.#store.all()).filter((draft) => !this.#open.has(draft.callId));
    return [...open, ...stored].filter((draft) => draft.queued).map((draft) => draft.callId);
  }

  /** The person's own act, or the agent has it. */
  async discard(callId: string): Promise<void> {
    clearTimeout(this.#unsaved.get(callId));
    this.#unsaved.delete(callId);
    this.#open.delete(callId);
    this.#mark(emptyDraft(callId, ""));
    await this.#store.delete(callId);
  }

  /** Starts the time after which a draft is cleared away, for calls that ended while this page was closed. */
  async markEnded(isPending: (callId: string) => boolean): Promise<void> {
    for (const draft of await this.#store.all()) {
      if (draft.endedAt !== null || isPending(draft.callId) || this.#open.has(draft.callId)) continue;
      if (hasContent(draft)) await this.#store.put({ ...draft, endedAt: clock.exact() });
      else await this.#store.delete(draft.callId);
    }
  }

  #mark(draft: Draft): void {
    const isTouched = hasContent(draft) && draft.sentAt === null;
    if (this.touched.has(draft.callId) === isTouched) return;
    const touched = new Set(this.touched);
    if (!touched.delete(draft.callId)) touched.add(draft.callId);
    this.touched = touched;
  }

  #saveNow(): void {
    for (const callId of new Set([...this.#unsaved.keys(), ...this.#saving.keys()])) {
      const draft = this.#open.get(callId);
      if (draft) this.#store.putNow({ ...draft, savedAt: Date.now() });
      void this.save(callId);
    }
  }

  #receive(shared: Shared): void {
    const draft = this.#open.get(shared.callId);
    if (!draft || this.question(draft, shared.questionId).editedAt >= shared.edited.editedAt) return;
    const key = `${shared.callId}/${shared.questionId}`;
    if (fieldWithCaret() === key) {
      this.#held.set(key, shared);
      return;
    }
    const changed = { ...draft, questions: { ...draft.questions, [shared.questionId]: shared.edited } };
    this.#open.set(shared.callId, changed);
    this.#mark(changed);
  }

  #takeHeld(): void {
    if (this.#held.size === 0) return;
    const held = [...this.#held.values()];
    this.#held.clear();
    // Focus is between two fields now; look again when it has arrived.
    setTimeout(() => held.forEach((shared) => void this.#receive(shared)));
  }

  async #prune(): Promise<void> {
    const stored = await this.#store.all();
    const over = stored.filter((draft) => isOver(draft, clock.exact()));
    for (const draft of over) await this.#store.delete(draft.callId);
    const kept = stored.filter((draft) => !over.includes(draft) && hasContent(draft) && draft.sentAt === null);
    this.touched = new Set([...this.touched, ...kept.map((draft) => draft.callId)]);
  }
}

/** `call id/question id` of the text field with the caret. */
function fieldWithCaret(): string | null {
  const field = document.activeElement;
  return field instanceof HTMLElement && field.matches("textarea, input:not([type=radio], [type=checkbox])")
    ? (field.dataset.field ?? null)
    : null;
}

/** On plain http to another host there is no `randomUUID`. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [8, 12, 16, 20].reduceRight((id, at) => `${id.slice(0, at)}-${id.slice(at)}`, hex);
}

export const drafts = new Drafts();
