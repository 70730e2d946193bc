// A cordis plugin: the provider of `ctx.userQuestions` that asks people through askhub.
//
// Invariant: whatever is asked here is answered, withdrawn or expired at the hub; nobody is left with a question that no
// agent waits for.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "./config.js";
import { Hub, Refused, retry, Unreachable } from "./hub.js";

/**
 * @typedef {import("@deepseek-ai/cordis").Context} Context
 * @typedef {import("@deepseek-ai/dsh-user-questions").AskUserQuestionRequest} Request
 * @typedef {import("@deepseek-ai/dsh-user-questions").AskUserQuestionAnswer} Answer
 * @typedef {import("@deepseek-ai/dsh-user-questions").AskUserQuestionItem} Item
 * @typedef {{ask: object, maybeMade: boolean, made: Promise<import("./hub.js").Reply>}} Asking
 */

/** For so long a call is tried to be withdrawn if the hub cannot be reached. */
const WITHDRAW_MS_MAX = 60_000;
/** How long the plugin's end waits for that. */
const DISPOSE_MS_MAX = 3_000;
/** A poll that ends sooner was cut short: the hub is going down. */
const POLL_MS_MIN = 1_000;
/** The hub's limit for the name of an agent's session. */
const SESSION_BYTES_MAX = 200;

const ABORTED = "ask_user_question was aborted before the user answered";

export const name = "askhub-hydra";
export const inject = ["userQuestions"];

/**
 * Registers the provider for as long as the plugin lives.
 *
 * @param {Context} ctx
 * @param {import("./index.js").Config} [given]
 */
export function apply(ctx, given) {
  const provider = new Provider(ctx, readConfig(given, process.env));
  ctx.userQuestions.registerProvider(provider);
  ctx.effect(() => () => provider.end(), "askhub-hydra");
}

export default { name, inject, apply };

class Provider {
  #ctx;
  #seam;
  #config;
  #hub;
  /** What ends each ask that waits. @type {Set<AbortController>} */
  #waiting = new Set();
  /** What is being withdrawn. @type {Set<Promise<void>>} */
  #withdrawals = new Set();

  /**
   * @param {Context} ctx
   * @param {ReturnType<typeof readConfig>} config
   */
  constructor(ctx, config) {
    this.#ctx = ctx;
    this.#seam = ctx.userQuestions;
    this.#config = config;
    this.#hub = new Hub(config);
  }

  /**
   * Asks people, and waits for as long as they need.
   *
   * @param {Request} request
   * @returns {Promise<Answer>}
   */
  async ask(request) {
    if (request.signal?.aborted) throw new Error(ABORTED);
    const stop = new AbortController();
    const asking = this.#begin(request, stop.signal);
    const onAbort = () => stop.abort();
    request.signal?.addEventListener("abort", onAbort, { once: true });
    this.#waiting.add(stop);
    const stopped = new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(new Error(ABORTED))));
    try {
      const reply = await Promise.race([asking.made.then((made) => this.#settled(made, stop.signal)), stopped]);
      return this.#told(request, /** @type {import("./hub.js").Reply} */ (reply));
    } catch (error) {
      if (!stop.signal.aborted && !(error instanceof Unreachable)) throw error;
      this.#withdraw(asking);
      if (stop.signal.aborted) return await this.#aborted(request);
      const what = /** @type {Error} */ (error).message;
      const mend = 'Is it running ("askhub serve"), and is ASKHUB_URL, or "url" of the plugin, right?';
      throw new Error(`askhub at ${this.#hub.url} cannot be reached, nobody was asked: ${what}. ${mend}`);
    } finally {
      request.signal?.removeEventListener("abort", onAbort);
      this.#waiting.delete(stop);
    }
  }

  /** Ends every ask that waits, and withdraws it. */
  async end() {
    for (const stop of this.#waiting) stop.abort();
    // The asks begin to withdraw once they have seen it.
    await sleep(0);
    const done = new AbortController();
    const late = sleep(DISPOSE_MS_MAX, undefined, { signal: done.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#withdrawals), late]);
    done.abort();
  }

  /**
   * Makes the call. The request itself is never aborted: what was sent may have arrived, and only its reply tells which
   * call has to be withdrawn.
   *
   * @param {Request} request
   * @param {AbortSignal} signal
   * @returns {Asking}
   */
  #begin(request, signal) {
    const { agentName, timeoutSeconds, onUnattended, priority, tags, reachSeconds } = this.#config;
    const session = request.agent?.id;
    const ask = {
      // The seam names no tool call. A key of our own makes sure that a repeated request does not ask twice.
      key: randomUUID(),
      // As text: in it a half of a surrogate pair is an escape that arrives.
      raw_arguments: JSON.stringify({ questions: request.questions.map(toArgument) }),
      agent: {
        name: agentName,
        host: hostname(),
        session: session && Buffer.byteLength(session) <= SESSION_BYTES_MAX ? session : undefined,
      },
      timeout_seconds: timeoutSeconds,
      on_unattended: onUnattended,
      priority,
      tags,
    };
    const asking = { ask, maybeMade: false };
    const ms = reachSeconds * 1_000;
    const attempt = () =>
      this.#hub.ask(ask, ms).catch((error) => {
        asking.maybeMade ||= error instanceof Unreachable && error.maybeDone;
        throw error;
      });
    return Object.assign(asking, { made: retry(attempt, { ms, signal }) });
  }

  /**
   * The call's end.
   *
   * @param {import("./hub.js").Reply} reply
   * @param {AbortSignal} signal
   */
  async #settled(reply, signal) {
    const { id } = reply.call;
    let isAway = false;
    const onTrouble = (/** @type {Unreachable} */ { message }) => {
      if (!isAway) this.#warn(`askhub at ${this.#hub.url} is away (${message}); call ${id} waits for it`);
      isAway = true;
    };
    while (reply.tool_result === null) {
      if (reply.call.status !== "pending") throw new Error(`call ${id} is settled, and its outcome was erased`);
      const began = performance.now();
      reply = await retry(() => this.#poll(id, signal), { signal, onTrouble });
      isAway = false;
      if (reply.tool_result === null && performance.now() - began < POLL_MS_MIN) {
        await sleep(POLL_MS_MIN, undefined, { signal });
      }
    }
    // A courtesy to the person who answered: it has no part in what the agent is told.
    this.#hub.acknowledge(id).catch(() => undefined);
    return reply;
  }

  /**
   * A poll. What refuses it without being askhub, such as a proxy whose hub restarts, is no reason to give up.
   *
   * @param {string} id
   * @param {AbortSignal} signal
   */
  async #poll(id, signal) {
    try {
      return await this.#hub.poll(id, signal);
    } catch (error) {
      throw error instanceof Refused && !error.isHubs ? new Unreachable(error.message) : error;
    }
  }

  /**
   * What the tool gets: answers, or the reason why there are none.
   *
   * @param {Request} request
   * @param {import("./hub.js").Reply} reply
   * @returns {Answer | Promise<Answer>}
   */
  #told(request, { call, tool_result: result, user_message: words }) {
    if (call.status === "cancelled") return this.#aborted(request);
    if (words) this.#handOn(request, words, call.id);
    // Only what a person answered has a structured form, and it stands for the text's sake: there a half of a surrogate
    // pair is still itself.
    if (result?.structured) return JSON.parse(result.text);
    throw new Error(result?.text.replace(/^Error: /, ""));
  }

  /**
   * Gives the agent the words for which answers have no place, as its user's next message.
   *
   * @param {Request} request
   * @param {string} text
   * @param {string} id
   */
  #handOn({ agent }, text, id) {
    const content = [{ type: "text", text }];
    const message = /** @type {any} */ ({ id: randomUUID(), role: "user", content, source: { kind: "user" } });
    try {
      if (agent) agent.steer(message);
      else this.#warn(`call ${id}: what was said beside the answers is for no agent; it can be read at askhub`);
    } catch (error) {
      this.#warn(`call ${id}: the agent took no message: ${/** @type {Error} */ (error).message}`);
    }
  }

  /**
   * The seam's own error: asked with a signal that has fired, it never comes to a provider.
   *
   * @param {Request} request
   * @returns {Promise<never>}
   */
  #aborted({ questions }) {
    const never = this.#seam.ask({ questions, signal: AbortSignal.abort() });
    return /** @type {Promise<never>} */ (never);
  }

  /** @param {Asking} asking */
  #withdraw(asking) {
    const withdrawal = this.#withdrawNow(asking).catch((error) => {
      this.#warn(`a question stays open at ${this.#hub.url}, it could not be withdrawn: ${error.message}`);
    });
    this.#withdrawals.add(withdrawal);
    withdrawal.finally(() => this.#withdrawals.delete(withdrawal));
  }

  /**
   * Cancels the call. If nobody knows whether it was made, asking with the same key tells.
   *
   * @param {Asking} asking
   */
  async #withdrawNow(asking) {
    let id = await asking.made.then(
      (made) => made.call.id,
      () => undefined,
    );
    if (id === undefined && !asking.maybeMade) return;
    const attempt = async () => {
      id ??= (await this.#hub.ask(asking.ask)).call.id;
      await this.#hub.cancel(id, "the agent no longer waits for an answer");
    };
    // The pauses do not keep alive a host that wants to end.
    await retry(attempt, { ms: WITHDRAW_MS_MAX, ref: false });
  }

  /** @param {string} what */
  #warn(what) {
    this.#ctx.logger?.warn("%s", what);
  }
}

/**
 * A question of the seam as the tool's arguments have it.
 *
 * @param {Item} item
 */
function toArgument({ id, question, detail, header, options, multiSelect }) {
  // People would decide without having read it: a dialect's question has no member for a detail.
  const text = detail ? `${question}\n\n${detail}` : question;
  return { id, question: text, header, options, multi_select: multiSelect };
}
