import { expect, test } from "vitest";
import type { Outcome } from "../wire/types";
import { call, question } from "./example";
import { endDetail, endTitle, endWords, receiptWords, thenWhat } from "./words";

function ended(outcome: Partial<Outcome>) {
  const whole: Outcome = {
    status: "answered",
    provenance: "human",
    reason: null,
    reply: null,
    clarify: false,
    by: { kind: "person", id: "p2", name: "Ana", via: "page" },
    at: "2026-12-01T12:00:00.000Z",
    answers: [],
    text: "",
    ...outcome,
  };
  return call({ status: whole.status, outcome: whole });
}

test("what happens at the deadline is said with labels, not ids", () => {
  expect(thenWhat(call())).toBe("then the agent gets no answer");
  const on_timeout = { answers: [{ id: "q1", selected: ["b"] }] };
  expect(thenWhat(call({ on_timeout }))).toBe("then “Option b”");
  const sure = question({ id: "q1", kind: "confirm", no_label: "Keep it" });
  expect(thenWhat(call({ questions: [sure], on_timeout: { answers: [{ id: "q1", selected: ["no"] }] } }))).toBe(
    "then “Keep it”",
  );
});

test("one's own answer is told apart from a colleague's", () => {
  expect(endTitle(ended({}), "p1")).toBe("Ana answered");
  expect(endTitle(ended({}), "p2")).toBe("You answered");
  expect(endTitle(ended({}), null)).toBe("Ana answered");
});

test("silence and a declared default are nobody's answer", () => {
  const silent = ended({ status: "expired", provenance: "clock", by: null });
  expect(endTitle(silent, "p1")).toBe("Time ran out");
  expect(endDetail(silent)).toBe("The outcome is that nobody answered.");
  const answers = [
    {
      id: "q1",
      status: "answered" as const,
      selected: [{ id: "b", label: "Wait" }],
      custom: null,
      notes: null,
      value: null,
    },
  ];
  const declared = ended({ status: "expired", provenance: "default", by: null, answers });
  expect(endWords(declared, "p1")).toBe("Expired, default used");
  expect(endDetail(declared)).toBe("bot goes on with its declared default: “Wait”.");
});

test("a refusal, a wish to be asked differently and a withdrawal are three things", () => {
  expect(endTitle(ended({ status: "declined" }), "p2")).toBe("You declined");
  expect(endTitle(ended({ status: "declined", clarify: true }), "p2")).toBe("You asked bot to ask differently");
  expect(endTitle(ended({ status: "cancelled", provenance: "agent", by: null }), "p2")).toBe(
    "bot no longer needs an answer",
  );
});

test("received is said only with a receipt", () => {
  expect(receiptWords(call()).received).toBe(false);
  expect(receiptWords(call({ delivered_at: "2026-12-01T12:00:00.000Z" }))).toMatchObject({
    received: true,
    words: "Received by bot",
  });
});
