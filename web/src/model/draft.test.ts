import { expect, test } from "vitest";
import {
  asText,
  choose,
  chooseOwn,
  emptyDraft,
  emptyQuestionDraft,
  hasContent,
  isOver,
  KEEP_AFTER_END_MS,
  KEEP_AFTER_SENT_MS,
  keptText,
  keptTextAsNote,
  merge,
} from "./draft";
import { call, question } from "./example";

const filled = { ...emptyQuestionDraft(), own: true, custom: "my words" };

test("choosing an option keeps the own text, which is then not what is meant", () => {
  const after = { ...filled, ...choose(question(), filled, "a") };
  expect(after).toMatchObject({ selected: ["a"], own: false, custom: "my words" });
  expect(keptText(question(), after)).toBe("my words");
});

test("choosing the own text un-chooses a radio, and keeps the checkboxes", () => {
  expect(chooseOwn(question(), true)).toMatchObject({ own: true, selected: [] });
  expect(chooseOwn(question({ multi_select: true }), true)).not.toHaveProperty("selected");
});

test("several choices are kept in the agent's order, whatever the order of the clicks", () => {
  const multi = question({ multi_select: true });
  const first = { ...emptyQuestionDraft(), ...choose(multi, emptyQuestionDraft(), "c") };
  const second = { ...first, ...choose(multi, first, "a") };
  expect(second.selected).toEqual(["a", "c"]);
  expect(choose(multi, second, "c").selected).toEqual(["a"]);
});

test("choosing takes a skip back", () => {
  expect(choose(question(), { ...emptyQuestionDraft(), skipped: true }, "a").skipped).toBe(false);
});

test("a kept text moves into the note behind what is there", () => {
  expect(keptTextAsNote({ ...filled, notes: "first" })).toEqual({ notes: "first\nmy words", custom: "", own: false });
  expect(keptTextAsNote(filled).notes).toBe("my words");
});

test("of two copies the later edit of each question stays whole", () => {
  const mine = { ...emptyDraft("c", "id"), savedAt: 5, tab: 1 };
  mine.questions = { a: { ...filled, custom: "mine", editedAt: 9 }, b: { ...filled, custom: "old", editedAt: 1 } };
  const other = { ...emptyDraft("c", "id"), savedAt: 7, tab: 2 };
  other.questions = { a: { ...filled, custom: "theirs", editedAt: 8 }, b: { ...filled, custom: "new", editedAt: 2 } };
  const merged = merge(mine, other);
  expect(merged.questions.a?.custom).toBe("mine");
  expect(merged.questions.b?.custom).toBe("new");
  expect(merged.tab).toBe(2);
});

test("blanks alone are nothing that would be missed, a reason is", () => {
  const draft = emptyDraft("c", "id");
  draft.questions = { q1: { ...emptyQuestionDraft(), custom: "  \n" } };
  expect(hasContent(draft)).toBe(false);
  expect(hasContent({ ...draft, reason: "say more" })).toBe(true);
});

test("a draft outlives its call by thirty days, and its own sending by one", () => {
  const draft = emptyDraft("c", "id");
  expect(isOver(draft, Number.MAX_SAFE_INTEGER)).toBe(false);
  expect(isOver({ ...draft, endedAt: 0 }, KEEP_AFTER_END_MS)).toBe(false);
  expect(isOver({ ...draft, endedAt: 0 }, KEEP_AFTER_END_MS + 1)).toBe(true);
  expect(isOver({ ...draft, sentAt: 0 }, KEEP_AFTER_SENT_MS + 1)).toBe(true);
});

test("a copy of a draft holds every part of it", () => {
  const draft = emptyDraft("c", "id");
  draft.questions = { q1: { ...emptyQuestionDraft(), selected: ["b"], custom: "kept", notes: "soon" } };
  expect(asText(call(), { ...draft, reason: "why" })).toBe("Which?\n- Option b\nkept\nNote: soon\n\nwhy");
});
