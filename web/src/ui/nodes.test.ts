import { expect, test } from "vitest";
import { placeOf, textOf } from "./nodes";

test("only http, https and mailto are followed, and each says where it leads", () => {
  expect(placeOf("https://example.com/a?b")).toEqual({ href: "https://example.com/a?b", place: "example.com" });
  expect(placeOf("mailto:ana@example.com")?.place).toBe("ana@example.com");
  for (const href of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "//example.com",
    "/a",
    "",
    undefined,
    "vbscript:x",
    "file:///etc",
  ]) {
    expect(placeOf(href)).toBeNull();
  }
});

test("a look-alike host is shown in the letters that the browser would use", () => {
  expect(placeOf("https://аpple.com/")?.place).toBe("xn--pple-43d.com");
});

test("an unknown node is its text", () => {
  expect(
    textOf({
      t: "marquee",
      c: [
        { t: "text", v: "a" },
        { t: "em", c: [{ t: "text", v: "b" }] },
      ],
    }),
  ).toBe("ab");
});
