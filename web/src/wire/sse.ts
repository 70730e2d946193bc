// Reads a server-sent event stream piece by piece. Invariant: pure; any split of the bytes gives the same events. The
// browser's own EventSource hides comments and status codes, and both are needed: heartbeats tell a live stream from a
// dead one, 401 tells that somebody was signed out.

export interface SseEvent {
  type: string;
  data: string;
  id: string | null;
}

export class SseParser {
  #rest = "";
  #type = "";
  #data: string[] = [];
  #id: string | null = null;

  push(chunk: string): SseEvent[] {
    this.#rest += chunk;
    const events: SseEvent[] = [];
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(this.#rest);
      if (!end) return events;
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const event = this.#line(line);
      if (event) events.push(event);
    }
  }

  #line(line: string): SseEvent | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#type = value;
    if (field === "data") this.#data.push(value);
    if (field === "id") this.#id = value;
    return null;
  }

  #dispatch(): SseEvent | null {
    const type = this.#type || "message";
    const data = this.#data;
    this.#type = "";
    this.#data = [];
    return data.length > 0 ? { type, data: data.join("\n"), id: this.#id } : null;
  }
}
