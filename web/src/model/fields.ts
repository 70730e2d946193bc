// What is filled into fields: numbers, days, times, forms. Invariant: what is sent is what stands in the fields; an empty
// field is not sent; the hub has the last word on what fits.

import type { Field, Question } from "../wire/types";
import { isBlank, type QuestionDraft } from "./draft";
import { objectOf, Raw, type Value } from "./json";
import { isDigits } from "./number";

export const YES = "yes";
export const NO = "no";

/** Whether an answer is what stands in fields. */
export function hasFields(question: Question): boolean {
  return ["number", "date", "datetime", "form"].includes(question.kind);
}

/** What stands in a field: what was typed, else what the agent put there. */
export function valuesOf(field: Field, draft: QuestionDraft): string[] {
  return draft.fields[field.name] ?? field.at_first;
}

function memberOf(field: Field, values: string[]): Value | undefined {
  const [first = ""] = values;
  if (field.takes === "choices") {
    const chosen = field.options.map((option) => option.value).filter((value) => values.includes(value));
    return field.required || chosen.length > 0 ? chosen : undefined;
  }
  if (first === "") return undefined;
  if (field.takes === "number") return isDigits(first) ? new Raw(first) : first;
  return field.takes === "flag" ? first === YES : first;
}

/** The value of all fields; undefined if nothing stands in them and nothing must. */
export function filledIn(question: Question, draft: QuestionDraft): Value | undefined {
  const fields = question.fields;
  // Nothing is known of the fields yet: nothing was filled in.
  if (!fields) return undefined;
  const [single] = fields;
  if (question.kind !== "form") return single && memberOf(single, valuesOf(single, draft));
  const members = fields.flatMap((field) => {
    const member = memberOf(field, valuesOf(field, draft));
    return member === undefined ? [] : [[field.name, member] as const];
  });
  // A form without fields is answered by sending it; one that nobody must fill in can stay empty.
  if (members.length === 0 && !question.required && fields.length > 0) return undefined;
  return objectOf(members);
}

/** The name under which a field's fault is kept: no id holds a NUL. */
export function fieldKey(question: Question, field: Field): string {
  return question.kind === "form" ? `${question.id}\0${field.name}` : question.id;
}

/** What must change in each field before this can be sent, by `fieldKey`. */
export function fieldFaults(question: Question, draft: QuestionDraft): Map<string, string> {
  const faults = new Map<string, string>();
  if (draft.skipped) return faults;
  for (const field of question.fields ?? []) {
    const [first = ""] = valuesOf(field, draft);
    const isMissing = field.required && isBlank(first) && field.takes !== "choices";
    if (isMissing) faults.set(fieldKey(question, field), "This must be filled in.");
    if (field.takes === "number" && !isBlank(first) && !isDigits(first))
      faults.set(fieldKey(question, field), "This is no number, or could be two: write it without separators.");
  }
  return faults;
}

/** What stands in a field, in words. */
export function fieldWords(field: Field, values: string[]): string {
  const title = (value: string) => field.options.find((option) => option.value === value)?.title ?? value;
  return values.map(title).join(", ");
}
