import { expect, test } from "vitest";
import type { Outcome } from "../wire/types";
import { agentOf, newer, tabName, titleOf } from "./call";
import { call, question } from "./example";

const outcome: Outcome = {
  status: "answered",
  provenance: "human",
  reason: null,
  reply: null,
  clarify: false,
  by: null,
  at: "2026-12-01T12:00:00.000Z",
  answers: [],
  text: "",
};

test("a late reply never brings a settled call back", () => {
  const settled = call({ status: "answered", rev: 2, outcome });
  expect(newer(settled, call({ rev: 1 }))).toBe(settled);
  expect(newer(call({ rev: 5 }), settled)).toBe(settled);
});

test("of two pending copies the higher revision stays, of two settled ones that with more receipts", () => {
  const extended = call({ rev: 2 });
  expect(newer(extended, call({ rev: 1 }))).toBe(extended);
  const bare = call({ status: "answered", rev: 2, outcome });
  const received = { ...bare, delivered_at: "2026-12-01T12:00:00.000Z" };
  expect(newer(received, bare)).toBe(received);
  expect(newer(bare, received)).toBe(received);
  expect(newer(bare, { ...bare })).toBe(bare);
});

test("an erased call is taken in, so that its content goes from here too", () => {
  const erased = call({ status: "answered", rev: 2, questions: [], outcome: null });
  expect(newer(call({ status: "answered", rev: 2, outcome, late_answers_total: 3 }), erased)).toBe(erased);
});

test("a call without a title is called by its question, an agent without a name by its token", () => {
  expect(titleOf(call({ title: "  " }))).toBe("Which?");
  expect(titleOf(call({ questions: [] }))).toBe("Content erased");
  expect(agentOf(call({ agent: { name: null, session: null, host: null, time_zone: null } }))).toBe("agent.token");
});

test("a tab has a short name, cut between characters", () => {
  expect(tabName(question({ header: "Refunds" }), 0)).toBe("Refunds");
  expect(tabName(question(), 1)).toBe("Question 2");
  expect(tabName(question({ header: "👍".repeat(13) }), 0)).toBe(`${"👍".repeat(11)}…`);
});
