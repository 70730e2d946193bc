// The API of a model on loopback, for a host that insists on one: it says what it is told to, and keeps what it was sent.
// Invariant: no request leaves this machine, and what is not scripted is an error that the host shows.

import { once } from "node:events";
import { createServer } from "node:http";

export class Model {
  /** Starts it; `stop` ends it. The host's next turns are those given to `plays`. */
  static async start() {
    const model = new Model();
    model.server = createServer((request, response) => model.#serve(request, response)).listen(0, "127.0.0.1");
    await once(model.server, "listening");
    model.url = `http://127.0.0.1:${model.server.address().port}`;
    return model;
  }

  #turns = [];

  /** Says these content blocks of the Messages API, a list of them a turn. What was asked before is forgotten. */
  plays(...turns) {
    this.#turns = turns;
    /** The bodies of the requests that were answered with a turn. */
    this.requests = [];
  }

  /** The tool results that the host has sent since, in their order. */
  get toolResults() {
    const last = this.requests.at(-1)?.messages ?? [];
    const blocks = last.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    return blocks.filter(({ type }) => type === "tool_result");
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  async #serve(request, response) {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { pathname } = new URL(request.url, this.url);
    if (request.method !== "POST" || pathname !== "/v1/messages") {
      return response.writeHead(404, { "Content-Type": "application/json" }).end("{}");
    }
    const asked = JSON.parse(body);
    // What the host asks on the side (titles, checks) has no tools.
    const isTurn = asked.tools?.length > 0;
    const turn = isTurn ? this.#turns.shift() : [{ type: "text", text: "aside" }];
    if (isTurn) this.requests.push(asked);
    const blocks = turn ?? [{ type: "text", text: "The script is over." }];
    const reason = blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: "msg_1", type: "message", role: "assistant", model: asked.model, usage };
    if (!asked.stream) {
      const whole = { ...message, content: blocks, stop_reason: reason, stop_sequence: null };
      return response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(whole));
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    send({ type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } });
    for (const [index, block] of blocks.entries()) {
      const isTool = block.type === "tool_use";
      const start = isTool ? { ...block, input: {} } : { type: "text", text: "" };
      const delta = isTool
        ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
        : { type: "text_delta", text: block.text };
      send({ type: "content_block_start", index, content_block: start });
      send({ type: "content_block_delta", index, delta });
      send({ type: "content_block_stop", index });
    }
    send({ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage });
    send({ type: "message_stop" });
    response.end();
  }
}
