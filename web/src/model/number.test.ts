import { expect, test } from "vitest";
import { digitsOf, isDigits, written } from "./number";

test("check 8: a number is read as it is written in a language, with all its digits", () => {
  expect(digitsOf("1.234,5", "de")).toBe("1234.5");
  expect(written("1234.5", "en")).toBe("1,234.5");
  expect(written("1234.5", "de")).toBe("1.234,5");
  expect(digitsOf("18,446,744,073,709,551,617.50", "en")).toBe("18446744073709551617.50");
  expect(written("18446744073709551617.50", "en")).toBe("18,446,744,073,709,551,617.50");
  expect(digitsOf("12,34,567", "en-IN")).toBe("1234567");
  expect(digitsOf("1\u202f234,5", "fr")).toBe("1234.5");
  expect(digitsOf("1 234,5", "fr")).toBe("1234.5");
  expect(digitsOf("١٬٢٣٤٫٥", "ar-EG")).toBe("1234.5");
  expect(digitsOf(written("1234.5", "ar-EG"), "ar-EG")).toBe("1234.5");
  expect(digitsOf(" -0012 ", "en")).toBe("-12");
  expect(digitsOf("\u22125", "en")).toBe("-5");
  expect(digitsOf("+.5", "en")).toBe("0.5");
  expect(digitsOf("1e-3", "en")).toBe("1e-3");
});

test("what could be two numbers, or is none, is neither", () => {
  for (const [typed, locale] of [
    ["1.5", "de"],
    ["1,5", "en"],
    ["1,23,4", "en"],
    ["1.2.3", "en"],
    ["", "en"],
    ["-", "en"],
    ["five", "en"],
    ["1_234", "en"],
    ["0x10", "en"],
    ["1e", "en"],
  ] as const) {
    expect(digitsOf(typed, locale), `${typed} in ${locale}`).toBeNull();
  }
  expect(isDigits("01")).toBe(false);
  expect(written("soon", "en")).toBe("soon");
});
