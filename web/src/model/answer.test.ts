import { expect, test } from "vitest";
import {
  answerOf,
  answersOf,
  faultOf,
  faultsFromServer,
  faultsOnSend,
  isOutcome,
  limitWords,
  stateOf,
  valueLines,
} from "./answer";
import { emptyDraft, emptyQuestionDraft, type QuestionDraft } from "./draft";
import { call, question } from "./example";

function given(change: Partial<QuestionDraft>): QuestionDraft {
  return { ...emptyQuestionDraft(), ...change };
}

test("a single choice sends the option or the own text, never both", () => {
  const kept = given({ selected: ["a"], own: false, custom: "kept" });
  expect(answerOf(question(), kept)).toEqual({ id: "q1", selected: ["a"] });
  expect(answerOf(question(), given({ selected: ["a"], own: true, custom: "mine" }))).toEqual({
    id: "q1",
    custom: "mine",
  });
});

test("a multiple choice sends options and own text together, with the note", () => {
  const all = given({ selected: ["a", "c"], own: true, custom: "and this", notes: "soon" });
  const multi = question({ multi_select: true });
  expect(answerOf(multi, all)).toEqual({ id: "q1", selected: ["a", "c"], custom: "and this", notes: "soon" });
});

test("text is sent as it was typed, and blanks are no answer", () => {
  const text = question({ kind: "text", options: [] });
  expect(answerOf(text, given({ custom: "  two\nlines " }))).toEqual({ id: "q1", custom: "  two\nlines " });
  expect(answerOf(text, given({ custom: " \n " }))).toBeNull();
});

test("own text is not sent where the agent takes none", () => {
  expect(answerOf(question({ allow_custom: false }), given({ own: true, custom: "x" }))).toBeNull();
});

test("a typed value is told in words, a field by its title", () => {
  const schema = { properties: { size: { title: "Size" }, mail: {} } };
  const form = question({ kind: "form", options: [], schema });
  const filled = { size: 3, mail: "a@b.c", ok: true, days: ["Mon", "Tue"] };
  expect(valueLines(form, filled)).toEqual(["Size: 3", "mail: a@b.c", "ok: yes", "days: Mon, Tue"]);
  const approval = question({ kind: "approval", options: [] });
  expect(valueLines(approval, { decision: "deny" })).toEqual(["Denied"]);
  expect(valueLines(approval, { decision: "approve", scope: "session", arguments: { path: "b" } })).toEqual([
    "Approved",
    "For: session",
    'With other arguments: {"path":"b"}',
  ]);
});

test("a form whose fields are not there yet is not sent empty", () => {
  const form = call({ questions: [question({ kind: "form", options: [], required: true })] });
  expect(faultsOnSend(form, emptyDraft("c1", "a1")).get("q1")).toContain("fill it in");
});

test("a skip sends the question with its note and nothing else", () => {
  const skipped = given({ skipped: true, selected: ["a"], notes: "not my field" });
  expect(answerOf(question(), skipped)).toEqual({ id: "q1", notes: "not my field" });
  expect(answerOf(question(), given({ skipped: true }))).toEqual({ id: "q1" });
});

test("a note alone is sent, and does not count as an answer", () => {
  const noted = given({ notes: "hm" });
  expect(answerOf(question(), noted)).toEqual({ id: "q1", notes: "hm" });
  expect(stateOf(question(), noted, false)).toBe("empty");
});

test("questions that nothing is said about are left out of the body", () => {
  const asked = call({ questions: [question(), question({ id: "q2" })] });
  const draft = { ...emptyDraft("c1", "id"), questions: { q2: given({ selected: ["b"] }) } };
  expect(answersOf(asked, draft)).toEqual([{ id: "q2", selected: ["b"] }]);
});

test("the limits of a multiple choice are told in words", () => {
  const limited = question({ multi_select: true, min_selected: 2, max_selected: 2 });
  expect(limitWords(limited)).toBe("Choose exactly 2");
  expect(limitWords({ ...limited, min_selected: 0, max_selected: null })).toBeNull();
  expect(faultOf(limited, given({ selected: ["a"] }))).toBe("Choose at least 2: 1 is chosen.");
  expect(faultOf(limited, given({ selected: ["a", "b"], own: true, custom: "c" }))).toBe(
    "Choose at most 2: 3 are chosen.",
  );
  expect(faultOf(limited, given({}))).toBeNull();
});

test("a text is measured in characters as people count them", () => {
  const text = question({ kind: "text", max_length: 2 });
  expect(faultOf(text, given({ custom: "👍👍" }))).toBeNull();
  expect(faultOf(text, given({ custom: "👍👍!" }))).toBe("Shorten the text by 1 character.");
});

test("an own answer that was chosen but not written is not sent as nothing", () => {
  expect(
    faultsOnSend(call(), { ...emptyDraft("c1", "id"), questions: { q1: given({ own: true }) } }).get("q1"),
  ).toMatch(/Write/);
});

test("a call is not sent empty by accident, and is sent with an outright skip", () => {
  expect(faultsOnSend(call(), emptyDraft("c1", "id")).get("q1")).toMatch(/Nothing is answered/);
  const skipped = { ...emptyDraft("c1", "id"), questions: { q1: given({ skipped: true }) } };
  expect(faultsOnSend(call(), skipped).size).toBe(0);
});

test("a required question cannot be left out", () => {
  const asked = call({ questions: [question({ required: true }), question({ id: "q2" })] });
  const draft = { ...emptyDraft("c1", "id"), questions: { q2: given({ selected: ["a"] }) } };
  expect([...faultsOnSend(asked, draft).keys()]).toEqual(["q1"]);
});

test("the hub's pointers find their question", () => {
  const answers = [{ id: "x" }, { id: "y" }];
  const faults = faultsFromServer(answers, [
    { pointer: "/answers/1/custom", detail: "too long" },
    { pointer: "/answers/1/notes", detail: "too long too" },
    { pointer: "/rev", detail: "stale" },
  ]);
  expect(faults.get("y")).toBe("Too long. Too long too.");
  expect(faults.get("")).toBe("Stale.");
});

test("an outcome equal to the draft is the draft, sent from another tab", () => {
  const answer = {
    id: "q1",
    status: "answered" as const,
    selected: [{ id: "a", label: "A" }],
    custom: null,
    notes: null,
    value: null,
  };
  const outcome = {
    status: "answered" as const,
    provenance: "human" as const,
    reason: null,
    reply: null,
    clarify: false,
    by: null,
    at: "2026-12-01T12:00:00.000Z",
    answers: [answer],
    text: "",
  };
  const settled = call({ status: "answered", outcome });
  const draft = { ...emptyDraft("c1", "id"), questions: { q1: given({ selected: ["a"] }) } };
  expect(isOutcome(settled, draft)).toBe(true);
  draft.questions = { q1: given({ selected: ["a"], notes: "more" }) };
  expect(isOutcome(settled, draft)).toBe(false);
});
