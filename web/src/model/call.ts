// What the page says about a call without asking anyone: its title, who asks, which of two copies is newer.
// Invariant: pure; a settled call never turns pending again, however late a reply arrives.

import type { Call, CallNodes, Kind, Question } from "../wire/types";

export const URGENT_PRIORITY_MIN = 80;

export function isSettled(call: Call): boolean {
  return call.status !== "pending";
}

/** Which copy to keep: replies may arrive in any order, so only the content says which one is newer. */
export function newer(known: Call | undefined, arrived: Call): Call {
  if (!known) return arrived;
  if (isSettled(known) !== isSettled(arrived)) return isSettled(arrived) ? arrived : known;
  if (known.rev !== arrived.rev) return arrived.rev > known.rev ? arrived : known;
  if (isErased(arrived)) return arrived;
  // Claims and undone answers do not raise the revision: of two pending copies the one that came last counts.
  if (!isSettled(arrived)) return isSameLease(known, arrived) ? known : arrived;
  return receipts(arrived) > receipts(known) ? arrived : known;
}

function isSameLease(one: Call, two: Call): boolean {
  const of = (call: Call) => [call.claim?.epoch, call.claim?.until, call.held?.answer_id, call.held?.until].join();
  return of(one) === of(two);
}

/** Who else is answering this call. */
export function colleagueOf(call: Call, myId: string | null, now: number): string | null {
  if (isSettled(call) || !call.claim || call.claim.by.id === myId) return null;
  return Date.parse(call.claim.until) > now ? call.claim.by.name : null;
}

/** Whole seconds until a held answer settles its call. */
export function heldSeconds(call: Call, now: number): number {
  return call.held ? Math.max(0, Math.ceil((Date.parse(call.held.until) - now) / 1000)) : 0;
}

/** The content is gone for good; only that it existed is left. */
function isErased(call: Call): boolean {
  return isSettled(call) && call.outcome === null;
}

function receipts(call: Call): number {
  return (call.delivered_at ? 1 : 0) + (call.acked_at ? 1 : 0) + call.late_answers_total * 4;
}

export function titleOf(call: Call): string {
  return call.title?.trim() || call.questions[0]?.question.trim() || "Content erased";
}

export function agentOf(call: Call): string {
  return call.agent.name?.trim() || call.asker.name.trim() || "unnamed agent";
}

export function isUrgent(call: Call): boolean {
  return call.priority >= URGENT_PRIORITY_MIN;
}

/** The short name of a question's tab: at most 12 characters, as a longer one would push its neighbours out. */
export function tabName(question: Question, index: number): string {
  const header = question.header?.trim();
  if (!header) return `Question ${index + 1}`;
  const characters = [...header];
  return characters.length <= 12 ? header : `${characters.slice(0, 11).join("").trimEnd()}…`;
}

export type Look = "single" | "multi" | "text" | "confirm" | "form" | "approval" | "several";

/** How a call looks in a list: by its kind of question, or as a stack. */
export function lookOf(call: Call): Look {
  const [first] = call.questions;
  if (call.questions.length > 1) return "several";
  if (!first || first.kind === "text") return "text";
  if (first.kind === "confirm" || first.kind === "approval") return first.kind;
  if (first.kind !== "choice") return "form";
  return first.multi_select ? "multi" : "single";
}

export function lookWords(call: Call): string {
  const words: Record<Look, string> = {
    single: "choice",
    multi: "multiple choice",
    text: "text",
    confirm: "yes or no",
    form: formWords(call),
    approval: approvalWords(call),
    several: `${call.questions.length} questions`,
  };
  return words[lookOf(call)];
}

function formWords(call: Call): string {
  const words: Partial<Record<Kind, string>> = { number: "number", date: "date", datetime: "date and time" };
  return words[call.questions[0]?.kind ?? "form"] ?? "form";
}

function approvalWords(call: Call): string {
  const [question] = call.questions;
  const risk = question?.risk === "high" || question?.risk === "destructive" ? ` · ${question.risk}` : "";
  return `approve ${question?.tool?.name ?? "a tool"}${risk}`;
}

/** The questions with what the hub read of them; a call's questions never change, so what was read once stays. */
export function withParsed(questions: Question[], nodes: CallNodes): Question[] {
  return questions.map((question) => ({
    ...question,
    fields: nodes.fields[question.id],
    arguments: nodes.arguments[question.id],
  }));
}
