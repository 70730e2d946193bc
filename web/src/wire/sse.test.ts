import { expect, test } from "vitest";
import { SseParser } from "./sse";

const STREAM =
  'event: ready\ndata: {"next":"e-1"}\n\n: heartbeat\n\nid: e-2\r\nevent: call.asked\r\ndata: {"seq":2}\r\n\r\ndata: a\ndata: b\n\n';

test("events are read with type, data and id, and heartbeats are none", () => {
  expect(new SseParser().push(STREAM)).toEqual([
    { type: "ready", data: '{"next":"e-1"}', id: null },
    { type: "call.asked", data: '{"seq":2}', id: "e-2" },
    { type: "message", data: "a\nb", id: "e-2" },
  ]);
});

test("any split of the stream gives the same events", () => {
  const whole = new SseParser().push(STREAM);
  for (let size = 1; size <= STREAM.length; size++) {
    const parser = new SseParser();
    const events = [];
    for (let at = 0; at < STREAM.length; at += size) events.push(...parser.push(STREAM.slice(at, at + size)));
    expect(events).toEqual(whole);
  }
});
