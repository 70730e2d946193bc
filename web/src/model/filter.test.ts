import { expect, test } from "vitest";
import { call, question } from "./example";
import { forHub, isEmpty, matches, parseFilter } from "./filter";

const refund = call({
  title: "Refund path",
  agent: { name: "billing-bot", session: null, host: "prod-eu", time_zone: null },
  tags: ["prod"],
  priority: 90,
  questions: [question({ kind: "approval", question: "May I pay out?" })],
});

test("check 59: words and tokens must all fit", () => {
  const fits = (query: string) => matches(refund, parseFilter(query), "me");
  for (const query of [
    "",
    "refund",
    "REFUND pay",
    "agent:billing kind:approval",
    "tag:prod is:urgent host:eu",
    '"pay out"',
  ]) {
    expect(fits(query), query).toBe(true);
  }
  for (const query of ["agent:docs", "kind:choice", "tag:pro", "is:claimed", "refund docs", '"out pay"', "is:mine"]) {
    expect(fits(query), query).toBe(false);
  }
});

test("what is no token is a word, and nothing typed is dropped", () => {
  expect(parseFilter("is:nonsense colour:red agent:").words).toEqual(["is:nonsense", "colour:red", "agent:"]);
  expect(isEmpty(parseFilter("  "))).toBe(true);
  expect(parseFilter('agent:"billing bot" x').agent).toEqual(["billing bot"]);
  expect(forHub(parseFilter("refund is:expired"))).toEqual({ q: "refund", status: "expired" });
  expect(forHub(parseFilter(""))).toEqual({ q: null, status: "settled" });
});
