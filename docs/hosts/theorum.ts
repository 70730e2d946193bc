// A host of theorum whose agent is answered on askhub: its tool ask_user completes at once, and the answer is the text of
// the next turn. Needs nothing but fetch.

/** What this host uses of theorum. */
export type RunTurn = (request: { input: { text: string }; signal?: AbortSignal }) => AsyncIterable<TurnEvent>;

export interface TurnEvent {
  type: string;
  tool?: { name: string; callId: string; phase: string; output?: unknown };
}

/** Where to ask, with the token of an agent. */
export interface Hub {
  url: string;
  token: string;
  /** Tells the runs of the agent apart: ids of tool calls repeat from run to run. */
  run: string;
  /** How long people have, in seconds; without it they have for ever. */
  timeoutSeconds?: number;
}

interface Awaited {
  status: "awaiting_user_input";
  kind: string;
  prompt: string;
  options?: string[];
}

interface Asked {
  key: string;
  output: Awaited;
}

interface Reply {
  call: { id: string; status: string } | null;
  user_message: string | null;
}

/** askhub says no, and would say so again. */
class Refused extends Error {}

const WAIT_SECONDS = 25;
/** How long asking and withdrawing may take, and how long a hub that was there may be away. */
const SHORT_MS = 5_000;
const AWAY_MS = 120_000;
const PAUSE_MS = 500;

/**
 * Runs turns until the agent asks nothing any more; `each` sees every event. Fails with the signal's reason when it is
 * stopped, after it has withdrawn what it asked, and with a sentence for the user when askhub cannot be asked.
 */
export async function converse(
  runTurn: RunTurn,
  hub: Hub,
  text: string,
  { signal = new AbortController().signal, each = (_event: TurnEvent) => {} } = {},
): Promise<void> {
  for (let next: string | null = text; next !== null; ) {
    const asked: Asked[] = [];
    for await (const event of runTurn({ input: { text: next }, signal })) {
      each(event);
      const { tool } = event;
      if (tool?.phase === "complete" && isAwaited(tool.output)) asked.push({ key: tool.callId, output: tool.output });
    }
    const replies = await allAnswered(hub, asked, signal);
    const messages = replies.flatMap(({ user_message }) => user_message ?? []);
    next = messages.length > 0 ? messages.join("\n\n") : null;
  }
}

function isAwaited(output: unknown): output is Awaited {
  return typeof output === "object" && output !== null && "status" in output && output.status === "awaiting_user_input";
}

/** All are asked before the first is waited for; when one fails, the others are withdrawn. */
async function allAnswered(hub: Hub, asked: Asked[], signal: AbortSignal): Promise<Reply[]> {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const replies = asked.map(async ({ key, output }) => {
    try {
      return await answered(hub, key, output, stop);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(replies);
  stop.throwIfAborted();
  return Promise.all(replies);
}

async function answered(
  hub: Hub,
  key: string,
  { kind, prompt, options }: Awaited,
  signal: AbortSignal,
): Promise<Reply> {
  signal.throwIfAborted();
  const ask = {
    key,
    arguments: { kind, prompt, ...(options && { options }) },
    agent: { name: "theorum", session: hub.run },
    ...(hub.timeoutSeconds && { timeout_seconds: hub.timeoutSeconds }),
  };
  // Not under the signal: whether the question was taken must be known, to withdraw it.
  const asked = await repeat(SHORT_MS, () => send(hub, "POST", "/v1/dialects/theorum/calls", ask, SHORT_MS));
  let reply = asReply(hub, asked);
  try {
    while (reply.call?.status === "pending") {
      const path = `/v1/dialects/theorum/calls/${reply.call.id}?wait=${WAIT_SECONDS}`;
      const ms = (WAIT_SECONDS + 10) * 1_000;
      reply = asReply(hub, await repeat(AWAY_MS, () => send(hub, "GET", path, undefined, ms, signal), signal));
    }
    return reply;
  } catch (error) {
    if (signal.aborted && reply.call) await withdraw(hub, reply.call.id);
    throw error;
  }
}

async function withdraw(hub: Hub, id: string) {
  const cancel = { reason: "the run was stopped" };
  try {
    await repeat(SHORT_MS, () => send(hub, "POST", `/v1/calls/${id}/cancel`, cancel, SHORT_MS));
  } catch (error) {
    // Settled in the last moment, or the hub is away: the question then stays until its deadline.
    if (!(error instanceof Refused)) console.error(`the question is not withdrawn: ${error}`);
  }
}

/** Every request may be sent twice: the key finds the same question. */
async function repeat<T>(ms: number, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const began = performance.now();
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Refused || began > end) throw error;
      await new Promise((later) => setTimeout(later, PAUSE_MS));
    }
  }
}

async function send(hub: Hub, method: string, path: string, body: unknown, ms: number, signal?: AbortSignal) {
  const here = `askhub at ${hub.url}`;
  const late = AbortSignal.timeout(ms);
  let response: Response;
  let text: string;
  try {
    response = await fetch(hub.url.replace(/\/$/, "") + path, {
      method,
      headers: { Authorization: `Bearer ${hub.token}`, "Content-Type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    text = await response.text();
  } catch (error) {
    throw new Error(`${here} cannot be reached: ${cause(error)}`);
  }
  if (response.status === 429 || response.status >= 500) throw new Error(`${here} answered ${response.status}`);
  if (!response.ok) throw new Refused(`${here} says no (${response.status}): ${parsed(text)?.detail}`);
  return parsed(text);
}

/** A call is null where nobody is asked. */
function asReply(hub: Hub, reply: Reply | undefined): Reply {
  if (typeof reply?.call !== "object") throw new Refused(`askhub at ${hub.url} answers unlike askhub`);
  return reply;
}

/** What is no JSON does not come from askhub. */
function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? cause(error.cause) : error.message;
}
