import { expect, test } from "vitest";
import type { Field, Question } from "../wire/types";
import { answerOf, faultsFromServer, faultsOnSend, isOutcome } from "./answer";
import { emptyDraft, emptyQuestionDraft } from "./draft";
import { call, question } from "./example";
import { toText } from "./json";
import { changedLines } from "./lines";

function field(given: Partial<Field>): Field {
  return {
    name: "f",
    label: "F",
    description: null,
    required: false,
    takes: "text",
    format: null,
    min: null,
    max: null,
    options: [],
    bounds: "",
    at_first: [],
    unchecked: [],
    ...given,
  };
}

function sent(asked: Question, given: Partial<ReturnType<typeof emptyQuestionDraft>>): string {
  return toText(answerOf(asked, { ...emptyQuestionDraft(), ...given }));
}

const form = question({
  kind: "form",
  fields: [
    field({ name: "2", takes: "number", required: true }),
    field({ name: "1", takes: "flag" }),
    field({ name: "c", takes: "choices", options: ["x", "y"].map((value) => ({ value, title: value })) }),
    field({ name: "d", at_first: ["default"] }),
  ],
});

test("a form is sent in its schema's order, digit for digit, without what is empty", () => {
  const fields = { "2": ["18446744073709551617.50"], "1": ["no"], c: ["y", "x"] };
  const value = '{"2":18446744073709551617.50,"1":false,"c":["x","y"],"d":"default"}';
  expect(sent(form, { fields })).toBe(`{"id":"q1","value":${value}}`);
  expect(sent(form, { fields: { d: [""] } })).toBe("null");
  expect(sent(form, { fields, skipped: true })).toBe('{"id":"q1"}');
  expect(sent(question({ kind: "form", fields: [] }), {})).toBe('{"id":"q1","value":{}}');
});

test("a number, a day and a time are sent alone", () => {
  const of = (kind: "number" | "date") => question({ kind, fields: [field({ name: "", takes: kind })] });
  expect(sent(of("number"), { fields: { "": ["1.50"] } })).toBe('{"id":"q1","value":1.50}');
  expect(sent(of("date"), { fields: { "": ["2026-11-30"] }, notes: "n" })).toBe(
    '{"id":"q1","value":"2026-11-30","notes":"n"}',
  );
  expect(sent(of("number"), { fields: { "": [""] } })).toBe("null");
});

test("what is missing is said under its field, and once over the form", () => {
  const draft = emptyDraft("c", "a");
  const asked = call({ questions: [form] });
  draft.questions.q1 = { ...emptyQuestionDraft(), fields: { "2": ["many"] } };
  expect([...faultsOnSend(asked, draft)].map(([key]) => key)).toEqual(["q1", "q1\0" + "2"]);
  draft.questions.q1 = { ...emptyQuestionDraft(), fields: { "2": [""] } };
  expect(faultsOnSend(asked, draft).get("q1")).toBe("One field needs a change.");
  draft.questions.q1 = { ...emptyQuestionDraft(), skipped: true };
  expect([...faultsOnSend(asked, draft)]).toEqual([]);
});

test("the hub's pointer into a form leads to its field", () => {
  const faults = faultsFromServer([{ id: "q1" }], [{ pointer: "/answers/0/value/a~1b", detail: "a/b is wrong" }]);
  expect([...faults]).toEqual([
    ["q1\0a/b", "A/b is wrong."],
    ["q1", "A/b is wrong."],
  ]);
});

test("an approval says the decision, and other arguments only if they are others", () => {
  const argument = (name: string, text: string, is_text: boolean) => ({
    name,
    text,
    is_text,
    kind: "",
    script: null,
    is_effect: false,
  });
  const asked = question({
    kind: "approval",
    editable: true,
    allow_custom: false,
    arguments: [argument("command", "ls", true), argument("size", "18446744073709551617", false)],
  });
  expect(sent(asked, { selected: ["approve"] })).toBe('{"id":"q1","value":{"decision":"approve"}}');
  expect(sent(asked, { selected: ["approve"], edited: { 0: "ls" } })).toBe(
    '{"id":"q1","value":{"decision":"approve"}}',
  );
  const edited = '{"decision":"approve","arguments":{"command":"ls -l","size":18446744073709551617},"scope":"once"}';
  expect(sent(asked, { selected: ["approve"], edited: { 0: "ls -l" }, scope: "once" })).toBe(
    `{"id":"q1","value":${edited}}`,
  );
  expect(sent(asked, { selected: ["deny"], edited: { 0: "ls -l" }, custom: "no" })).toBe(
    '{"id":"q1","value":{"decision":"deny"},"custom":"no"}',
  );
  const draft = emptyDraft("c", "a");
  draft.questions.q1 = { ...emptyQuestionDraft(), selected: ["approve"], edited: { 1: "many" } };
  expect(faultsOnSend(call({ questions: [asked] }), draft).get("q1")).toContain("“size” is no JSON");
  draft.questions.q1 = { ...emptyQuestionDraft(), custom: "words alone" };
  expect(faultsOnSend(call({ questions: [asked] }), draft).get("q1")).toContain("words alone decide nothing");
});

test("a draft is known again as the outcome by its value", () => {
  const draft = emptyDraft("c", "a");
  draft.questions.q1 = { ...emptyQuestionDraft(), fields: { "2": ["1.50"] } };
  const outcomeOf = (value: { [name: string]: string | number }) => {
    const answers = [{ id: "q1", status: "answered" as const, selected: [], custom: null, notes: null, value }];
    return call({ questions: [form], status: "answered", outcome: { status: "answered", answers } as never });
  };
  expect(isOutcome(outcomeOf({ 2: 1.5, d: "default" }), draft)).toBe(true);
  expect(isOutcome(outcomeOf({ 2: 2.5, d: "default" }), draft)).toBe(false);
});

test("changed lines stand between those that stayed", () => {
  expect(changedLines("a\nb\nc", "a\nx\ny\nc").map((line) => line.sign + line.text)).toEqual([
    " a",
    "-b",
    "+x",
    "+y",
    " c",
  ]);
  expect(changedLines("a", "a").map((line) => line.sign)).toEqual([" "]);
  expect(changedLines("a\na", "a").map((line) => line.sign + line.text)).toEqual([" a", "-a"]);
});
