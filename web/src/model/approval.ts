// Whether a tool may be called. Invariant: nothing but a press approves, and nothing that was not seen whole can be
// approved; arguments that nobody touched are not sent.

import type { Argument, Question } from "../wire/types";
import { isBlank, type QuestionDraft } from "./draft";
import { isJson, objectOf, Raw, type Value } from "./json";

export const APPROVE = "approve";
export const DENY = "deny";

/** Whether it must be confirmed, because it is hard to put right. */
export function isRisky(question: Question): boolean {
  return question.risk === "high" || question.risk === "destructive";
}

/** Arguments in the order in which they are read: what the call does comes first. */
export function inReadingOrder(question: Question): Argument[] {
  const all = question.arguments ?? [];
  return [...all.filter((one) => one.is_effect), ...all.filter((one) => !one.is_effect)];
}

/** What an argument would be passed as. */
export function argumentText(question: Question, argument: Argument, draft: QuestionDraft): string {
  return draft.edited[placeOf(question, argument)] ?? argument.text;
}

export function placeOf(question: Question, argument: Argument): string {
  return String((question.arguments ?? []).indexOf(argument));
}

/** Arguments that were changed. */
export function changed(question: Question, draft: QuestionDraft): Argument[] {
  if (!question.editable || question.arguments_truncated) return [];
  return (question.arguments ?? []).filter((one) => argumentText(question, one, draft) !== one.text);
}

export function decisionOf(question: Question, draft: QuestionDraft): Value | undefined {
  const [decision] = draft.selected;
  if (decision !== APPROVE && decision !== DENY) return undefined;
  if (decision === DENY) return { decision };
  const members: { [name: string]: Value } = { decision };
  if (changed(question, draft).length > 0) {
    const passed = (question.arguments ?? []).map((one) => {
      const text = argumentText(question, one, draft);
      return [one.name, one.is_text ? text : new Raw(text.trim())] as const;
    });
    members.arguments = objectOf(passed);
  }
  if (draft.scope !== null) members.scope = draft.scope;
  return members;
}

/** What keeps the decision from being sent, in words. */
export function approvalFault(question: Question, draft: QuestionDraft): string | null {
  if (draft.skipped) return null;
  const [decision] = draft.selected;
  if (decision === APPROVE) {
    const broken = changed(question, draft).find((one) => !one.is_text && !isJson(argumentText(question, one, draft)));
    return broken ? `“${broken.name}” is no JSON: a text needs quotes, a number none.` : null;
  }
  if (decision !== DENY && !isBlank(draft.custom) && !question.allow_custom) {
    return "Approve or deny: words alone decide nothing.";
  }
  return null;
}
