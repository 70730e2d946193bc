// What the page says about deadlines and outcomes. Invariant: whole sentences, never glued from parts that another
// language would order differently; what an agent wrote stands in quotes.

import type { Call, GivenAnswer, Outcome } from "../wire/types";
import { agentOf } from "./call";
import { isBlank, labelOf } from "./draft";

/** What the agent gets if nobody answers in time. */
export function thenWhat(call: Call): string {
  const answers = call.on_timeout?.answers ?? [];
  const [first] = answers;
  if (!first) return "then the agent gets no answer";
  const words = givenWords(call, first);
  if (answers.length === 1) return `then “${words}”`;
  return `then “${words}” and ${answers.length - 1} more by default`;
}

function givenWords(call: Call, given: GivenAnswer): string {
  const question = call.questions.find((question) => question.id === given.id);
  const labels = (given.selected ?? []).map((id) => (question ? labelOf(question, id) : id));
  if (given.custom && !isBlank(given.custom)) labels.push(given.custom);
  return labels.join(", ") || "skipped";
}

function outcomeWords(outcome: Outcome): string {
  const words = outcome.answers.flatMap((answer) => {
    const labels = answer.selected.map((selected) => selected.label);
    return answer.custom ? [...labels, answer.custom] : labels;
  });
  return words.join(" · ") || "skipped";
}

/** How a call ended, in a few words for a row. */
export function endWords(call: Call, myId: string | null): string {
  const outcome = call.outcome;
  if (!outcome) return "Erased";
  const who = outcome.by?.id === myId && myId !== null ? "You" : (outcome.by?.name ?? "Somebody");
  switch (outcome.status) {
    case "answered":
      return `${who} answered`;
    case "declined":
      return outcome.clarify ? `${who} asked for another question` : `${who} declined`;
    case "expired":
      return outcome.provenance === "default" ? "Expired, default used" : "Expired";
    case "cancelled":
      return "No longer needed";
  }
}

/** The headline over an ended call. */
export function endTitle(call: Call, myId: string | null): string {
  const outcome = call.outcome;
  const agent = agentOf(call);
  if (!outcome) return "The content of this call was erased";
  const mine = outcome.by?.id === myId;
  const who = outcome.by?.name ?? "Somebody";
  switch (outcome.status) {
    case "answered":
      return mine ? "You answered" : `${who} answered`;
    case "declined":
      if (outcome.clarify)
        return mine ? `You asked ${agent} to ask differently` : `${who} asked ${agent} to ask differently`;
      return mine ? "You declined" : `${who} declined`;
    case "expired":
      return outcome.reason === "unattended" ? "Nobody was there to answer" : "Time ran out";
    case "cancelled":
      return mine ? "You withdrew this call" : `${agent} no longer needs an answer`;
  }
}

/** What the agent went on with; null where the outcome itself shows it. */
export function endDetail(call: Call): string | null {
  const outcome = call.outcome;
  if (outcome?.status !== "expired") return null;
  const agent = agentOf(call);
  if (outcome.provenance === "default")
    return `${agent} goes on with its declared default: “${outcomeWords(outcome)}”.`;
  return "The outcome is that nobody answered.";
}

/** Where the outcome is on its way to the agent. */
export function receiptWords(call: Call): { received: boolean; words: string; at: string | null } {
  const agent = agentOf(call);
  const at = call.acked_at ?? call.delivered_at;
  if (at) return { received: true, words: `Received by ${agent}`, at };
  return { received: false, words: `Saved. ${agent} will get it when it reconnects.`, at: null };
}
