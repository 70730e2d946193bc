// Dealing with several calls at once. Invariant: what is done to each is told for each; only equal questions get one
// answer, and nothing that is hard to put right is approved together.

import type { Call } from "../wire/types";
import { agentOf } from "./call";

export type BulkEnd = "done" | "ended" | "failed";

/** What makes two calls the same question: who asks, what, and what there is to choose. Null if no one answer fits. */
export function fingerprint(call: Call): string | null {
  const [question, ...more] = call.questions;
  if (!question || more.length > 0 || !["choice", "confirm"].includes(question.kind)) return null;
  const options = question.options.map((option) => [option.id, option.label]);
  const { id, kind, question: text, multi_select, min_selected, max_selected, yes_label, no_label } = question;
  const asked = [id, kind, text, multi_select, min_selected, max_selected, yes_label, no_label, options];
  return JSON.stringify([agentOf(call), asked]);
}

/** Whether one answer may be given to all. */
export function areSame(calls: Call[]): boolean {
  const [first, ...others] = calls.map(fingerprint);
  return first !== undefined && first !== null && others.every((other) => other === first);
}

/** What came of it, part by part, nothing left out. */
export function resultWords(ends: BulkEnd[]): string {
  const count = (end: BulkEnd) => ends.filter((one) => one === end).length;
  const parts = [`${count("done")} done`];
  if (count("ended") > 0) parts.push(`${count("ended")} already answered`);
  if (count("failed") > 0) parts.push(`${count("failed")} failed`);
  return parts.join(" · ");
}
