// From a draft to the body of an answer, and what is wrong with it in words. Invariant: what is sent is what the page
// shows as chosen; text that is kept but not meant never goes out.

import type { Call, GivenAnswer, Json, Question } from "../wire/types";
import { approvalFault, decisionOf } from "./approval";
import { type Draft, emptyQuestionDraft, isBlank, type QuestionDraft } from "./draft";
import { fieldFaults, filledIn, hasFields } from "./fields";
import { isSame, type Value } from "./json";

export type AnswerState = "empty" | "answered" | "skipped" | "error";

export function draftOf(draft: Draft, question: Question): QuestionDraft {
  // A draft of an older page lacks the members that came later.
  return { ...emptyQuestionDraft(), ...draft.questions[question.id] };
}

/** The answer to one question, or null if nothing is said about it. */
export function answerOf(question: Question, draft: QuestionDraft): GivenAnswer | null {
  const answer: GivenAnswer = { id: question.id };
  if (!draft.skipped) {
    const takesCustom =
      question.kind === "text" ||
      question.kind === "approval" ||
      (question.kind === "choice" && draft.own && question.allow_custom);
    const custom = takesCustom && !isBlank(draft.custom) ? draft.custom : undefined;
    const isOwnOnly = question.kind === "choice" && !question.multi_select && draft.own;
    const value = typedValue(question, draft);
    if (value !== undefined) answer.value = value;
    const takesSelected = question.kind === "choice" || question.kind === "confirm";
    if (takesSelected && !isOwnOnly && draft.selected.length > 0) answer.selected = draft.selected;
    if (custom !== undefined) answer.custom = custom;
  }
  if (!isBlank(draft.notes)) answer.notes = draft.notes;
  const saysSomething = answer.selected ?? answer.custom ?? answer.notes ?? answer.value;
  return saysSomething !== undefined || draft.skipped ? answer : null;
}

function typedValue(question: Question, draft: QuestionDraft): Value | undefined {
  if (question.kind === "approval") return decisionOf(question, draft);
  return hasFields(question) ? filledIn(question, draft) : undefined;
}

/** A typed value in words, one line for each part of it. */
export function valueLines(question: Question, value: Json): string[] {
  if (!isObject(value)) return [question.unit ? `${plain(value)} ${question.unit}` : plain(value)];
  const members = value;
  if (question.kind !== "approval") {
    return Object.entries(members).map(([name, member]) => `${titleOf(question, name)}: ${plain(member)}`);
  }
  const lines = [members.decision === "approve" ? "Approved" : "Denied"];
  if (typeof members.scope === "string") lines.push(`For: ${members.scope}`);
  if (members.arguments !== undefined) lines.push(`With other arguments: ${JSON.stringify(members.arguments)}`);
  return lines;
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function titleOf(question: Question, name: string): string {
  const field = question.schema?.properties?.[name];
  return field?.title?.trim() ? field.title : name;
}

function plain(value: Json): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function answersOf(call: Call, draft: Draft): GivenAnswer[] {
  return call.questions.flatMap((question) => answerOf(question, draftOf(draft, question)) ?? []);
}

export function isAnswered(question: Question, draft: QuestionDraft): boolean {
  const answer = answerOf(question, draft);
  return answer?.selected !== undefined || answer?.custom !== undefined || answer?.value !== undefined;
}

export function stateOf(question: Question, draft: QuestionDraft, hasError: boolean): AnswerState {
  if (hasError) return "error";
  if (isAnswered(question, draft)) return "answered";
  return draft.skipped ? "skipped" : "empty";
}

/** Whether an outcome is this very draft: then another tab or device of the same person sent it. */
export function isOutcome(call: Call, draft: Draft): boolean {
  const outcome = call.outcome;
  if (outcome?.status !== "answered") return false;
  return call.questions.every((question) => {
    const mine = answerOf(question, draftOf(draft, question));
    const theirs = outcome.answers.find((answer) => answer.id === question.id);
    const chosen = theirs?.selected.map((selected) => selected.id) ?? [];
    return (
      (mine?.custom ?? null) === (theirs?.custom ?? null) &&
      (mine?.notes ?? null) === (theirs?.notes ?? null) &&
      isSame(mine?.value as Value | undefined, theirs?.value ?? null) &&
      (mine?.selected ?? []).join("\n") === chosen.join("\n")
    );
  });
}

/** How many things are chosen, own words included. */
export function countChosen(draft: QuestionDraft): number {
  return draft.selected.length + (draft.own && !isBlank(draft.custom) ? 1 : 0);
}

/** What the limits of a multiple choice are, in words; null without limits. */
export function limitWords(question: Question): string | null {
  const { min_selected: min, max_selected: max } = question;
  if (min !== null && max !== null) return min === max ? `Choose exactly ${min}` : `Choose ${min} to ${max}`;
  if (max !== null) return `Choose up to ${max}`;
  return min !== null && min > 0 ? `Choose at least ${min}` : null;
}

/** What is wrong with what is there, as it is: an empty answer is not wrong yet. */
export function faultOf(question: Question, draft: QuestionDraft): string | null {
  if (draft.skipped) return null;
  if (question.kind === "text" && question.max_length !== null) {
    const length = [...draft.custom].length;
    const over = length - question.max_length;
    if (over > 0) return `Shorten the text by ${over} ${over === 1 ? "character" : "characters"}.`;
  }
  if (question.kind === "choice" && draft.own && !question.multi_select && isBlank(draft.custom)) {
    return "Write your own answer, or choose an option.";
  }
  if (question.kind === "approval") return approvalFault(question, draft);
  if (question.kind === "choice" && question.multi_select) {
    const chosen = countChosen(draft);
    const { min_selected: min, max_selected: max } = question;
    if (max !== null && chosen > max) return `Choose at most ${max}: ${chosen} are chosen.`;
    if (min !== null && chosen > 0 && chosen < min)
      return `Choose at least ${min}: ${chosen} ${chosen === 1 ? "is" : "are"} chosen.`;
  }
  return null;
}

/** What must change before this can be sent; also says what a required question still lacks. */
export function faultOnSend(question: Question, draft: QuestionDraft): string | null {
  const fault = faultOf(question, draft);
  if (fault) return fault;
  const inFields = fieldFaults(question, draft);
  if (question.kind === "form" && inFields.size > 0 && isStarted(question, draft)) return countWords(inFields.size);
  const single = inFields.get(question.id);
  if (single) return single;
  if (!question.required || isAnswered(question, draft)) return null;
  if (question.kind === "approval") return "This needs an answer: approve or deny.";
  if (question.kind === "choice" || question.kind === "confirm") return "This needs an answer: choose one.";
  return question.kind === "text" ? "This needs an answer: write one." : "This needs an answer: fill it in.";
}

/** Whether a form is meant to be sent: nobody must fill it in, and nothing stands in it, is a skip. */
function isStarted(question: Question, draft: QuestionDraft): boolean {
  return question.required || filledIn(question, draft) !== undefined;
}

function countWords(count: number): string {
  return count === 1 ? "One field needs a change." : `${count} fields need a change.`;
}

/** Faults by question id; `""` is the whole call. A call with one question is never sent empty by accident. */
export function faultsOnSend(call: Call, draft: Draft): Map<string, string> {
  const faults = new Map<string, string>();
  for (const question of call.questions) {
    const fault = faultOnSend(question, draftOf(draft, question));
    if (!fault) continue;
    faults.set(question.id, fault);
    for (const [key, words] of fieldFaults(question, draftOf(draft, question))) faults.set(key, words);
  }
  const saysNothing = answersOf(call, draft).length === 0;
  if (faults.size === 0 && saysNothing) {
    const [first] = call.questions;
    const words = "Nothing is answered yet. Answer, or skip it.";
    if (call.questions.length === 1 && first) faults.set(first.id, words);
    else faults.set("", words);
  }
  return faults;
}

/** Sorts the server's pointers (`/answers/0/custom`) under the questions they speak of; the rest under `""`. */
export function faultsFromServer(
  answers: GivenAnswer[],
  errors: { pointer: string; detail: string }[],
): Map<string, string> {
  const faults = new Map<string, string>();
  for (const { pointer, detail } of errors) {
    const [, index, name] = /^\/answers\/(\d+)(?:\/value\/([^/]+))?/.exec(pointer) ?? [];
    const id = index === undefined ? "" : (answers[Number(index)]?.id ?? "");
    // The field has its own words, and the question those of all its fields.
    if (name !== undefined)
      faults.set(`${id}\0${name.replaceAll("~1", "/").replaceAll("~0", "~")}`, sentenceOf(detail));
    const sentence = sentenceOf(detail);
    faults.set(id, faults.has(id) ? `${faults.get(id)} ${sentence}` : sentence);
  }
  return faults;
}

function sentenceOf(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
}
