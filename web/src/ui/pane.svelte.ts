// What the open call's controls do. Invariant: bound to the call id it was made with; selecting never sends, and what
// sends passes the input guard first.

import { tick } from "svelte";
import { draftOf, faultsOnSend, isOutcome } from "../model/answer";
import { APPROVE, DENY, isRisky } from "../model/approval";
import { isSettled, titleOf } from "../model/call";
import { choose, chooseOwn, emptyDraft, hasContent, type QuestionDraft } from "../model/draft";
import { announcer } from "../state/announce.svelte";
import { colleagues } from "../state/colleagues.svelte";
import { drafts } from "../state/drafts.svelte";
import { guard } from "../state/guard.svelte";
import { inbox } from "../state/inbox.svelte";
import { callPath } from "../state/route.svelte";
import { sender } from "../state/sending.svelte";
import { urlOf } from "../wire/api";
import type { Option, Question } from "../wire/types";
import { copy } from "./copy";

const DIGITS_MAX = 9;
const TYPED: (keyof QuestionDraft)[] = ["custom", "notes", "fields", "edited"];

export class Pane {
  readonly callId: string;

  constructor(callId: string) {
    this.callId = callId;
  }

  readonly call = $derived.by(() => inbox.calls.get(this.callId));
  readonly draft = $derived.by(() => drafts.get(this.callId));
  readonly questions = $derived(this.call?.questions ?? []);
  readonly hasReview = $derived(this.questions.length > 1);
  readonly lastTab = $derived(this.hasReview ? this.questions.length : 0);
  readonly tab = $derived(Math.min(this.draft?.tab ?? 0, this.lastTab));
  readonly isReview = $derived(this.hasReview && this.tab === this.lastTab);
  readonly question = $derived<Question | undefined>(this.questions[this.tab]);
  /** A lone question without a title is the title. */
  readonly isTitled = $derived(
    this.call === undefined || this.questions.length > 1 || titleOf(this.call) !== this.question?.question.trim(),
  );
  readonly faults = $derived(this.call ? sender.faults(this.call) : new Map<string, string>());
  readonly sending = $derived.by(() => sender.states.get(this.callId));
  readonly isEnded = $derived(this.call !== undefined && isSettled(this.call));
  /** My answer is in its undo window. */
  readonly isHeld = $derived(this.call !== undefined && sender.isHeldByMe(this.call));
  /** My answer waits for a connection. */
  readonly isQueued = $derived(this.draft?.queued === true && !this.isEnded);
  readonly isSending = $derived(this.sending?.phase === "sending" || this.isHeld);
  readonly lateAnswer = $derived(this.call?.late_answers.findLast((late) => late.by.id === inbox.me?.id));
  /** Something was filled in that no outcome holds. */
  readonly hasUnsent = $derived.by(() => {
    if (!this.call || !this.draft || this.draft.sentAt !== null || !hasContent(this.draft)) return false;
    return !isOutcome(this.call, this.draft);
  });
  readonly showsForm = $derived(
    this.draft !== undefined && this.questions.length > 0 && (!this.isEnded || this.hasUnsent),
  );
  readonly needsSkip = $derived(this.question !== undefined && !this.question.required);

  /** By question id, the option whose preview is shown. */
  previewed = $state<Record<string, string>>({});
  /** The option whose preview fills the screen. */
  sheet = $state.raw<{ question: Question; optionId: string } | null>(null);
  notesOpen = $state<Record<string, boolean>>({});
  declining = $state(false);
  /** Approvals whose arguments were on screen to their end. */
  seen = $state<Record<string, boolean>>({});
  /** Approvals whose arguments are being changed. */
  editing = $state<Record<string, boolean>>({});
  /** What is about to be approved, to be confirmed first. */
  confirming = $state.raw<Question | null>(null);

  given(question: Question): QuestionDraft {
    return draftOf(this.draft ?? emptyDraft(this.callId, ""), question);
  }

  edit(question: Question, change: Partial<QuestionDraft>): void {
    drafts.edit(this.callId, question.id, change);
    // Choosing is quick; what takes time is told.
    if (TYPED.some((name) => name in change)) colleagues.typing(this.callId);
    const faults = sender.serverFaults.get(this.callId);
    if (!faults) return;
    const others = [...faults].filter(([key]) => key !== question.id && !key.startsWith(`${question.id}\0`));
    if (others.length < faults.size) sender.serverFaults.set(this.callId, new Map(others));
  }

  /** Why this cannot be approved at present, in words; null if it can. */
  whyNot(question: Question): string | null {
    if (question.arguments_truncated) return "The agent sent only a part of the arguments.";
    const isUnseen = isRisky(question) && !this.seen[question.id];
    return isUnseen ? "Read the arguments to their end first." : null;
  }

  decide(question: Question, decision: typeof APPROVE | typeof DENY): void {
    if (this.isSending) return;
    const reason = decision === APPROVE ? this.whyNot(question) : null;
    if (reason) announcer.interrupt(reason);
    else this.edit(question, { selected: [decision], skipped: false });
  }

  decideByKey(key: "approve" | "reject" | "edit"): void {
    const question = this.question;
    if (question?.kind !== "approval" || !this.showsForm) return;
    if (key === "edit" && question.editable && !question.arguments_truncated) this.editing[question.id] = true;
    if (key === "approve") this.decide(question, APPROVE);
    if (key === "reject") {
      this.decide(question, DENY);
      this.focusOwn(this.tab);
    }
  }

  choose(question: Question, optionId: string): void {
    if (this.isSending) return;
    this.previewed[question.id] = optionId;
    this.edit(question, choose(question, this.given(question), optionId));
  }

  chooseOwn(question: Question, isChosen: boolean): void {
    if (!this.isSending) this.edit(question, chooseOwn(question, isChosen));
  }

  /** The `index`th thing that can be chosen, by its digit. */
  chooseByKey(index: number): void {
    const question = this.question;
    if (!question || !this.showsForm) return;
    if (question.kind === "approval") {
      if (index < 2) this.decide(question, index === 0 ? APPROVE : DENY);
      return;
    }
    const ids = question.kind === "confirm" ? ["yes", "no"] : question.options.map((option) => option.id);
    const id = ids.slice(0, DIGITS_MAX)[index];
    if (id !== undefined) this.choose(question, id);
  }

  ownByKey(): void {
    const question = this.question;
    if (!question || !this.showsForm || question.kind === "confirm") return;
    if (question.kind === "choice") {
      if (!question.allow_custom) return;
      this.chooseOwn(question, true);
    }
    this.focusOwn(this.tab);
  }

  focusOwn(at: number): void {
    this.#focus(`own-${at}`);
  }

  noteByKey(): void {
    if (this.question && this.showsForm) this.openNote(this.question, this.tab);
  }

  openNote(question: Question, at: number): void {
    this.notesOpen[question.id] = true;
    this.#focus(`note-${at}`);
  }

  previewByKey(): void {
    const question = this.question;
    const optionId = question && (this.previewed[question.id] ?? question.options.find((option) => option.preview)?.id);
    if (question && optionId && this.showsForm) this.sheet = { question, optionId };
  }

  /** The preview follows the focus; an option without one leaves the last one in place. */
  showPreview(question: Question, option: Option): void {
    if (option.preview) this.previewed[question.id] = option.id;
  }

  goTo(tab: number): void {
    if (!this.showsForm || tab < 0 || tab > this.lastTab) return;
    drafts.change(this.callId, { tab });
    const question = this.questions[tab];
    announcer.say(question ? `Question ${tab + 1} of ${this.questions.length}` : "Review");
    this.#focus(`panel-${tab}`);
  }

  skip(): void {
    const question = this.question;
    if (!question || this.isSending) return;
    this.edit(question, { skipped: !this.given(question).skipped });
    if (this.hasReview && this.given(question).skipped) this.goTo(this.tab + 1);
  }

  /** One step on: the next question, then Review, then send. */
  advance(): void {
    if (!this.showsForm) return;
    if (this.tab < this.lastTab && this.hasReview) this.goTo(this.tab + 1);
    else void this.send();
  }

  async send(isConfirmed = false): Promise<void> {
    const call = this.call;
    if (!call || this.isHeld || !guard.admits()) return;
    const risky = this.isEnded ? undefined : this.questions.find((question) => this.#isApproved(question));
    if (risky && !isConfirmed && this.draft && faultsOnSend(call, this.draft).size === 0) {
      this.confirming = risky;
      return;
    }
    this.confirming = null;
    await sender.answer(call);
    if (onScreen.pane === this) this.#showFirstFault();
  }

  async decline(clarify: boolean): Promise<void> {
    const call = this.call;
    if (!call || !guard.admits()) return;
    const isSent = await sender.decline(call, clarify);
    if (isSent && onScreen.pane === this) this.declining = false;
  }

  /** Says that this person answers, whoever said so before; or gives that back. */
  claimByKey(): void {
    if (!this.call || this.isEnded) return;
    if (colleagues.isMine(this.callId)) void colleagues.release(this.callId);
    else void colleagues.claim(this.callId);
  }

  extend(): void {
    if (this.call) void sender.extend(this.call);
  }

  copyLink(): void {
    void copy(urlOf(callPath(this.callId)).href).then(() => announcer.say("Link copied."));
  }

  #isApproved(question: Question): boolean {
    return question.kind === "approval" && isRisky(question) && this.given(question).selected[0] === APPROVE;
  }

  #showFirstFault(): void {
    const at = this.questions.findIndex((question) => this.faults.has(question.id));
    const words = [...this.faults.values()][0];
    if (words === undefined) return;
    announcer.interrupt(words);
    if (at < 0) return;
    drafts.change(this.callId, { tab: at });
    void tick().then(() => {
      const panel = document.getElementById(`panel-${at}`);
      const field =
        panel?.querySelector<HTMLElement>("[aria-invalid=true]") ??
        panel?.querySelector<HTMLElement>("input:checked, textarea, input") ??
        panel;
      field?.focus();
    });
  }

  #focus(id: string): void {
    void tick().then(() => document.getElementById(id)?.focus());
  }
}

/** The pane on screen, for the keyboard. */
export const onScreen: { pane: Pane | null } = { pane: null };
