import { expect, test } from "vitest";
import { type Command, commandOf, type Press, type Scope } from "./keys";

const page: Scope = {
  dialogOpen: false,
  inTextField: false,
  ownsArrows: false,
  inList: false,
  singleKeys: true,
  afterG: false,
  sinceComposition: 1_000,
};

function press(key: string, more: Partial<Press> = {}): Press {
  const code = /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : /^\d$/.test(key) ? `Digit${key}` : key;
  const rest = {
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    repeat: false,
    isComposing: false,
    keyCode: 0,
  };
  return { key, code, ...rest, ...more };
}

function does(key: string, scope: Partial<Scope> = {}, more: Partial<Press> = {}): Command["do"] | null {
  return commandOf(press(key, more), { ...page, ...scope })?.do ?? null;
}

test("digits choose by place, so layouts that type something else there have them too", () => {
  expect(commandOf(press("3"), page)).toEqual({ do: "choose", index: 2 });
  expect(commandOf(press("é", { code: "Digit2" }), page)).toEqual({ do: "choose", index: 1 });
  expect(commandOf(press("0"), page)).toEqual({ do: "own" });
  expect(commandOf(press("7", { code: "Numpad7" }), page)).toEqual({ do: "choose", index: 6 });
});

test("letters go by what is typed, else by place", () => {
  expect(does("n")).toBe("note");
  expect(does("т", {}, { code: "KeyN" })).toBe("note");
  expect(does("n", {}, { code: "KeyB" })).toBe("note");
});

test("in a text field only Ctrl or Cmd with Enter, and Esc, mean something", () => {
  for (const key of ["1", "n", "j", "?", "+", ".", "ArrowDown"]) expect(does(key, { inTextField: true })).toBeNull();
  expect(does("Enter", { inTextField: true }, { ctrlKey: true })).toBe("advance");
  expect(does("Enter", { inTextField: true }, { metaKey: true })).toBe("advance");
  expect(does("Enter", { inTextField: true })).toBeNull();
  expect(does("Escape", { inTextField: true })).toBe("escape");
});

test("an open dialog takes every key away from what is below", () => {
  for (const key of ["1", "j", "Escape", "?"]) expect(does(key, { dialogOpen: true })).toBeNull();
  expect(does("Enter", { dialogOpen: true }, { ctrlKey: true })).toBeNull();
});

test("a press that an input method owns means nothing", () => {
  for (const owned of [{ isComposing: true }, { keyCode: 229 }]) {
    expect(does("Enter", {}, { ctrlKey: true, ...owned })).toBeNull();
    expect(does("Escape", {}, owned)).toBeNull();
  }
  expect(does("Enter", { sinceComposition: 10 }, { ctrlKey: true })).toBeNull();
  expect(does("Enter", { sinceComposition: 60 }, { ctrlKey: true })).toBe("advance");
});

test("held keys repeat for movement only", () => {
  expect(does("j", {}, { repeat: true })).toBe("move");
  expect(does("1", {}, { repeat: true })).toBeNull();
  expect(does("Enter", {}, { ctrlKey: true, repeat: true })).toBeNull();
});

test("with single keys off only Ctrl+Enter, Esc and the arrows in the list are left", () => {
  for (const key of ["1", "n", "j", "k", "?", "+", "."]) expect(does(key, { singleKeys: false })).toBeNull();
  expect(does("Enter", { singleKeys: false }, { ctrlKey: true })).toBe("advance");
  expect(does("ArrowDown", { singleKeys: false, inList: true })).toBe("move");
});

test("g and a letter go to a view, and the letter does nothing else then", () => {
  expect(does("h", { afterG: true })).toBe("go-history");
  expect(does("i", { afterG: true })).toBe("go-inbox");
  expect(does("n", { afterG: true })).toBeNull();
  expect(does("j", { afterG: true })).toBeNull();
});

test("other combinations stay the browser's", () => {
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) expect(does("1", {}, more)).toBeNull();
  expect(does("n", {}, { shiftKey: true })).toBeNull();
});
