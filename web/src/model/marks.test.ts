import { expect, test } from "vitest";
import { pieces } from "./marks";

const marks = (text: string) => pieces(text).flatMap((piece) => piece.mark ?? []);

test("the pieces joined are the text", () => {
  const text = "a\u202eb\u200bc\u0007d\u{e0041}e";
  expect(
    pieces(text)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
});

test("what hides or turns text is marked", () => {
  expect(marks("pay \u202e000,1\u202c now")).toEqual(["U+202E", "U+202C"]);
  expect(marks("ad\u200bmin\ufeff")).toEqual(["U+200B", "U+FEFF"]);
  expect(marks("a\u0000b\u009bc")).toEqual(["U+0000", "U+009B"]);
  expect(marks(`a${" ".repeat(41)}b`)).toEqual(["41 blanks"]);
});

test("lines, tabs, short runs of blanks and every script stay as they are", () => {
  for (const text of ["a\n\tb\r\n", " ".repeat(39), "السلام عليكم", "שלום", "日本語", "e\u0301"])
    expect(marks(text)).toEqual([]);
});

test("joiners stay where scripts and emoji need them, and show between Latin letters", () => {
  expect(marks("👩‍👩‍👧 می‌خواهم")).toEqual([]);
  expect(marks("pay\u200dpal")).toEqual(["U+200D"]);
});
