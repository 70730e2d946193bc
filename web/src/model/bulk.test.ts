import { expect, test } from "vitest";
import { areSame, resultWords } from "./bulk";
import { call, question } from "./example";

test("one answer is for equal questions of one agent only", () => {
  const asked = (given = {}, agent = "b") =>
    call({ agent: { name: agent, session: null, host: null, time_zone: null }, questions: [question(given)] });
  expect(areSame([asked(), asked()])).toBe(true);
  expect(areSame([asked(), asked({}, "other")])).toBe(false);
  expect(areSame([asked(), asked({ question: "Another?" })])).toBe(false);
  expect(areSame([asked({ kind: "approval" }), asked({ kind: "approval" })])).toBe(false);
  expect(areSame([call({ questions: [question(), question({ id: "q2" })] })])).toBe(false);
  expect(areSame([])).toBe(false);
});

test("check 60: what came of it is told honestly", () => {
  expect(resultWords([...Array(9).fill("done"), "ended"])).toBe("9 done · 1 already answered");
  expect(resultWords(["failed", "done"])).toBe("1 done · 1 failed");
  expect(resultWords(["ended"])).toBe("0 done · 1 already answered");
});
