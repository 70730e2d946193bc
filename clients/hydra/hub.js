// What the plugin says to askhub over HTTP. Invariant: the token is in the Authorization header and nowhere else; every
// request has an end of its own.

import { setTimeout as sleep } from "node:timers/promises";

/** How long a poll may be held, and how much later than that its connection counts as dead. */
const WAIT_SECONDS = 25;
const SLACK_MS = 10_000;
/** The longest that any other request may take. */
const REQUEST_MS_MAX = 5_000;
const PAUSE_MS_MIN = 200;
const PAUSE_MS_MAX = 10_000;

/** With these the request cannot have arrived. */
const NEVER_SENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"];

/**
 * @typedef {{text: string, is_error: boolean, structured?: unknown}} ToolResult
 * @typedef {{call: {id: string, status: string}, tool_result: ToolResult | null, user_message: string | null}} Reply
 */

/** It did not work this time; trying again may. */
export class Unreachable extends Error {
  /**
   * @param {string} message
   * @param {{maybeDone?: boolean, pauseMs?: number}} [details] whether the hub may have done it all the same; how long it
   *   wants to be left alone
   */
  constructor(message, { maybeDone = false, pauseMs = 0 } = {}) {
    super(message);
    this.maybeDone = maybeDone;
    this.pauseMs = pauseMs;
  }
}

/** The hub, or what answers in its place, says no; trying again would not help. */
export class Refused extends Error {
  /**
   * @param {string} message
   * @param {number} status
   * @param {boolean} isHubs whether the hub itself says so
   */
  constructor(message, status, isHubs) {
    super(message);
    this.status = status;
    this.isHubs = isHubs;
  }
}

export class Hub {
  #token;

  /** @param {{url: string, token: string}} config */
  constructor({ url, token }) {
    this.url = url;
    this.#token = token;
  }

  /**
   * Asks; with a key that was asked before it finds that call.
   *
   * @param {object} ask
   * @param {number} [ms]
   * @returns {Promise<Reply>}
   */
  ask(ask, ms = REQUEST_MS_MAX) {
    return this.#request("POST", "/v1/dialects/hydra/calls", { body: ask, ms: Math.min(ms, REQUEST_MS_MAX) });
  }

  /**
   * The call as it is once it is settled, or after some seconds.
   *
   * @param {string} id
   * @param {AbortSignal} signal
   * @returns {Promise<Reply>}
   */
  poll(id, signal) {
    const ms = WAIT_SECONDS * 1_000 + SLACK_MS;
    return this.#request("GET", `/v1/dialects/hydra/calls/${id}?wait=${WAIT_SECONDS}`, { ms, signal });
  }

  /**
   * Withdraws a call; one that is settled stays as it is.
   *
   * @param {string} id
   * @param {string} reason
   */
  async cancel(id, reason) {
    try {
      await this.#request("POST", `/v1/calls/${id}/cancel`, { body: { reason } });
    } catch (error) {
      if (!(error instanceof Refused && error.status === 409)) throw error;
    }
  }

  /**
   * Says that the outcome arrived.
   *
   * @param {string} id
   */
  acknowledge(id) {
    return this.#request("POST", `/v1/calls/${id}/ack`, {});
  }

  /**
   * One request: its reply, `Unreachable` or `Refused`.
   *
   * @param {string} method
   * @param {string} path
   * @param {{body?: object, ms?: number, signal?: AbortSignal}} options
   */
  async #request(method, path, { body, ms = REQUEST_MS_MAX, signal }) {
    // Not `AbortSignal.any`: the agent's signal lives through many polls, and would keep each of them.
    const stop = new AbortController();
    const abort = () => stop.abort();
    const timer = setTimeout(abort, ms);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    try {
      const response = await fetch(this.url + path, {
        method,
        headers: { Authorization: `Bearer ${this.#token}`, ...(body && { "Content-Type": "application/json" }) },
        body: body && JSON.stringify(body),
        redirect: "manual",
        signal: stop.signal,
      });
      return this.#read(response, await response.text());
    } catch (error) {
      if (!(error instanceof Error) || error instanceof Unreachable || error instanceof Refused) throw error;
      const cause = /** @type {{code?: string, message?: string}} */ (error.cause ?? {});
      const what = stop.signal.aborted ? `no answer within ${ms / 1_000} s` : cause.message || cause.code;
      const maybeDone = !NEVER_SENT.includes(cause.code ?? "");
      throw new Unreachable(what ?? error.message, { maybeDone });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * @param {Response} response
   * @param {string} text
   */
  #read({ ok, status, headers }, text) {
    const json = parse(text);
    if (ok && json) return json;
    if (status < 400 || status === 408 || status === 429 || status >= 500) {
      const pauseMs = 1_000 * Number(headers.get("Retry-After")) || 0;
      throw new Unreachable(`it answered ${status}${json ? `, ${said(json)}` : ""}`, { maybeDone: true, pauseMs });
    }
    throw new Refused(this.#refusal(status, json), status, typeof json?.code === "string");
  }

  /**
   * @param {number} status
   * @param {any} json
   */
  #refusal(status, json) {
    const result = json?.tool_result;
    if (result) return result.text.replace(/^Error: /, "");
    const here = `askhub at ${this.url}`;
    if (status === 401) {
      const mend = 'set ASKHUB_TOKEN, or "token" of the plugin, to the token of an agent';
      return `${here} does not know the token (401): ${mend}`;
    }
    if (status === 404 && !json?.code) return `${here} is no askhub (404): set ASKHUB_URL, or "url" of the plugin`;
    return `${here} refuses the question (${status})${json ? `: ${said(json)}` : ""}`;
  }
}

/**
 * Tries until it works, is refused, was tried for `ms`, or `signal` fires.
 *
 * @template T
 * @param {() => Promise<T>} attempt
 * @param {{ms?: number, signal?: AbortSignal, ref?: boolean, onTrouble?: (error: Unreachable) => void}} options
 * @returns {Promise<T>}
 */
export async function retry(attempt, { ms = Number.POSITIVE_INFINITY, signal, ref = true, onTrouble }) {
  const end = performance.now() + ms;
  for (let longest = PAUSE_MS_MIN; ; longest = Math.min(2 * longest, PAUSE_MS_MAX)) {
    try {
      return await attempt();
    } catch (error) {
      // Between half of it and all of it: many askers do not come back to a hub in step.
      const pause = longest * (0.5 + Math.random() / 2);
      const isOver = performance.now() + pause > end;
      if (!(error instanceof Unreachable) || signal?.aborted || isOver) throw error;
      onTrouble?.(error);
      await sleep(Math.min(Math.max(pause, error.pauseMs), PAUSE_MS_MAX), undefined, { signal, ref });
    }
  }
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What a problem says, in one line.
 *
 * @param {any} problem
 */
function said({ title, detail, errors = [] }) {
  const faults = errors.map((/** @type {any} */ fault) => `${fault.pointer} ${fault.detail}`);
  return [...new Set([title, detail, ...faults])].filter(Boolean).join("; ");
}
