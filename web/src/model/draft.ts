// What a person has chosen and typed for one call and not sent yet. Invariant: nothing here is ever dropped by a
// change elsewhere: choosing an option keeps the own text, and only the person's own act empties a field.

import type { Call, Question } from "../wire/types";

export interface QuestionDraft {
  /** Ids of the options chosen; `yes` or `no` for a confirmation. */
  selected: string[];
  /** Whether the own text is what is meant (single choice) or also meant (multiple). */
  own: boolean;
  custom: string;
  notes: string;
  /** What stands in each field that was touched, by its name; a number by its digits. */
  fields: Record<string, string[]>;
  /** Other arguments for the tool, by their places. */
  edited: Record<string, string>;
  /** For how much an approval holds; null is not said. */
  scope: string | null;
  /** Said outright: this question is left out. */
  skipped: boolean;
  /** The offer to send a kept text as a note was turned down. */
  offerDismissed: boolean;
  editedAt: number;
}

export interface Draft {
  callId: string;
  /** Makes sending idempotent: made with the draft, renewed only for another body after a definitive refusal. */
  answerId: string;
  questions: Record<string, QuestionDraft>;
  /** Which tab was open. */
  tab: number;
  /** What was typed into "Ask me differently". */
  reason: string;
  savedAt: number;
  /** Sent while there was no connection: it goes out when there is one. */
  queued?: boolean;
  /** The exact body that was refused for good, or null. */
  refusedBody: string | null;
  /** When the server confirmed it as the outcome, or null. */
  sentAt: number | null;
  /** When this page first saw the call ended, or null. */
  endedAt: number | null;
}

export const KEEP_AFTER_END_MS = 30 * 24 * 60 * 60 * 1000;
export const KEEP_AFTER_SENT_MS = 24 * 60 * 60 * 1000;

export function emptyDraft(callId: string, answerId: string): Draft {
  return {
    callId,
    answerId,
    questions: {},
    tab: 0,
    reason: "",
    savedAt: 0,
    refusedBody: null,
    sentAt: null,
    endedAt: null,
  };
}

export function emptyQuestionDraft(): QuestionDraft {
  return {
    selected: [],
    own: false,
    custom: "",
    notes: "",
    fields: {},
    edited: {},
    scope: null,
    skipped: false,
    offerDismissed: false,
    editedAt: 0,
  };
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Whether a person put anything in that would be missed. */
export function hasContent(draft: Draft): boolean {
  return !isBlank(draft.reason) || Object.values(draft.questions).some(isTouched);
}

export function isTouched(question: QuestionDraft): boolean {
  const typed = [question.custom, question.notes, ...Object.values(question.edited ?? {})];
  const isFilled = Object.keys(question.fields ?? {}).length > 0;
  return question.selected.length > 0 || question.skipped || isFilled || typed.some((text) => !isBlank(text));
}

/** Chooses or un-chooses an option. The own text stays where it is. */
export function choose(question: Question, draft: QuestionDraft, optionId: string): Partial<QuestionDraft> {
  if (!question.multi_select) return { selected: [optionId], own: false, skipped: false, offerDismissed: false };
  const chosen = new Set(draft.selected);
  if (!chosen.delete(optionId)) chosen.add(optionId);
  const inOrder = question.options.map((option) => option.id).filter((id) => chosen.has(id));
  return { selected: inOrder, skipped: false };
}

/** Takes the own text as the answer (single) or adds it to the choices (multiple). */
export function chooseOwn(question: Question, isChosen: boolean): Partial<QuestionDraft> {
  if (question.multi_select) return { own: isChosen, skipped: false };
  return { own: true, selected: [], skipped: false };
}

/** Own text that would not be sent because another option is chosen. */
export function keptText(question: Question, draft: QuestionDraft): string | null {
  if (question.kind !== "choice" || draft.own || isBlank(draft.custom)) return null;
  return draft.custom;
}

/** Moves a kept text into the note. */
export function keptTextAsNote(draft: QuestionDraft): Partial<QuestionDraft> {
  const notes = isBlank(draft.notes) ? draft.custom : `${draft.notes}\n${draft.custom}`;
  return { notes, custom: "", own: false };
}

/** Joins two copies of one draft (another tab's, the journal's): for each question the later edit stays whole. */
export function merge(mine: Draft, other: Draft): Draft {
  const later = other.savedAt > mine.savedAt ? other : mine;
  const questions = { ...mine.questions };
  for (const [id, theirs] of Object.entries(other.questions)) {
    const ours = questions[id];
    if (!ours || theirs.editedAt > ours.editedAt) questions[id] = theirs;
  }
  return { ...later, questions };
}

/** Whether a stored draft has outlived its use. */
export function isOver(draft: Draft, now: number): boolean {
  if (draft.sentAt !== null && now - draft.sentAt > KEEP_AFTER_SENT_MS) return true;
  return draft.endedAt !== null && now - draft.endedAt > KEEP_AFTER_END_MS;
}

/** All that was chosen and typed, as text to paste somewhere else. */
export function asText(call: Call, draft: Draft): string {
  const parts = call.questions.flatMap((question) => {
    const given = draft.questions[question.id];
    if (!given || !isTouched(given)) return [];
    const labels = given.selected.map((id) => labelOf(question, id));
    for (const [name, values] of Object.entries(given.fields ?? {})) {
      if (values.length > 0) labels.push(`${name}${name ? ": " : ""}${values.join(", ")}`);
    }
    labels.push(...Object.values(given.edited ?? {}));
    const lines = [question.question, ...labels.map((label) => `- ${label}`)];
    if (!isBlank(given.custom)) lines.push(given.custom);
    if (!isBlank(given.notes)) lines.push(`Note: ${given.notes}`);
    return [lines.join("\n")];
  });
  if (!isBlank(draft.reason)) parts.push(draft.reason);
  return parts.join("\n\n");
}

export function labelOf(question: Question, optionId: string): string {
  if (question.kind === "approval") return optionId === "approve" ? "Approve" : "Deny";
  if (question.kind === "confirm") return optionId === "yes" ? yesLabel(question) : noLabel(question);
  return question.options.find((option) => option.id === optionId || option.label === optionId)?.label ?? optionId;
}

export function yesLabel(question: Question): string {
  return question.yes_label ?? "Yes";
}

export function noLabel(question: Question): string {
  return question.no_label ?? "No";
}
