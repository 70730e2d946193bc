import { expect, test } from "vitest";
import { call } from "./example";
import { type Attention, IDLE_MS, isFrozen, newcomers, nextOpen, orderOf, type Row } from "./order";
import { MINUTE } from "./time";

const NOW = Date.parse("2026-12-01T12:00:00.000Z");
const at = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString();
const calm: Attention = {
  now: NOW,
  lastInputAt: NOW,
  lastKeyMoveAt: 0,
  pointerOverList: false,
  focusInList: false,
  callOpen: false,
};

test("what is due soon comes first, then what is urgent, then the rest by deadline, age and id", () => {
  const calls = [
    call({ id: "old", asked_at: at(-90) }),
    call({ id: "young", asked_at: at(-1) }),
    call({ id: "urgent", priority: 80, asked_at: at(-2) }),
    call({ id: "later", expires_at: at(60) }),
    call({ id: "soon", expires_at: at(14) }),
    call({ id: "sooner", expires_at: at(2), priority: 10 }),
    call({ id: "a-twin", asked_at: at(-1) }),
  ];
  expect(orderOf(calls, NOW).map((row) => row.id)).toEqual([
    "sooner",
    "soon",
    "urgent",
    "later",
    "old",
    "a-twin",
    "young",
  ]);
});

test("rows stay while the pointer, the focus, the keys or an open call hold them", () => {
  expect(isFrozen(calm)).toBe(false);
  for (const hold of ["pointerOverList", "focusInList", "callOpen"] as const) {
    expect(isFrozen({ ...calm, [hold]: true })).toBe(true);
  }
  expect(isFrozen({ ...calm, lastKeyMoveAt: NOW - 2_000 })).toBe(true);
  expect(isFrozen({ ...calm, lastKeyMoveAt: NOW - 4_000 })).toBe(false);
});

test("half a minute without input releases them, whatever holds them", () => {
  const held = { ...calm, pointerOverList: true, callOpen: true };
  expect(isFrozen({ ...held, lastInputAt: NOW - IDLE_MS + 1 })).toBe(true);
  expect(isFrozen({ ...held, lastInputAt: NOW - IDLE_MS })).toBe(false);
});

test("newcomers are the pending calls that are not drawn", () => {
  const drawn: Row[] = [{ id: "a", bucket: "waiting" }];
  expect(newcomers(drawn, [call({ id: "a" }), call({ id: "b" })]).map((one) => one.id)).toEqual(["b"]);
});

test("after one call the next below opens, then the first above, and ended ones are passed over", () => {
  const rows: Row[] = ["a", "b", "c", "d"].map((id) => ({ id, bucket: "waiting" }));
  expect(nextOpen(rows, "b", (id) => id !== "c")).toBe("d");
  expect(nextOpen(rows, "d", (id) => id !== "d")).toBe("a");
  expect(nextOpen(rows, "a", () => false)).toBeNull();
  expect(nextOpen(rows, "gone", () => true)).toBe("a");
});
