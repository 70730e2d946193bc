// Talks JSON to the hub. Invariant: every address is built from the document's base, so a path prefix needs no setting;
// every reply, good or bad, is reported once to `onReply`, which keeps the clock and the connection's state.

import { toText } from "../model/json";
import type { Call, FeedEvent, GivenAnswer, Me, ProblemBody } from "./types";

export const REQUEST_TIMEOUT_MS = 15_000;
export const PAGE_CALLS = 200;

/** A refusal by the hub. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly errors: { pointer: string; detail: string }[],
    readonly call: Call | null,
    readonly retryAfter: string | null,
  ) {
    super(detail);
  }
}

/** No reply came: whether the hub did what was asked is unknown. */
export class NoReply extends Error {}

export interface ReplySeen {
  status: number;
  date: string | null;
  sent: number;
  received: number;
}

let onReply: (seen: ReplySeen) => void = () => {};

export function watchReplies(watch: (seen: ReplySeen) => void): void {
  onReply = watch;
}

export function urlOf(path: string): URL {
  return new URL(path, document.baseURI);
}

async function request<T>(method: string, path: string, body?: string): Promise<T> {
  const sent = performance.now();
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  let text: string;
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    response = await fetch(urlOf(path), {
      method,
      headers,
      body,
      signal,
      credentials: "same-origin",
      cache: "no-store",
    });
    text = await response.text();
  } catch (error) {
    throw new NoReply(error instanceof Error ? error.message : String(error));
  }
  onReply({ status: response.status, date: response.headers.get("Date"), sent, received: performance.now() });
  if (!response.ok) throw problemOf(response, text);
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new NoReply("the reply is not JSON");
  }
}

function problemOf(response: Response, text: string): Problem {
  let body: Partial<ProblemBody> = {};
  try {
    body = JSON.parse(text) as ProblemBody;
  } catch {
    // A proxy's own error page is no problem document: the status says enough.
  }
  const detail = body.detail || body.title || `HTTP ${response.status}`;
  const retryAfter = response.headers.get("Retry-After");
  return new Problem(response.status, body.code ?? "", detail, body.errors ?? [], body.call ?? null, retryAfter);
}

export interface CallPage {
  calls: Call[];
  next_cursor: string | null;
}

export function me(): Promise<Me> {
  return request("GET", "v1/me");
}

/** Pending calls, the one due first at the top. */
export function pendingCalls(cursor: string | null): Promise<CallPage> {
  return request("GET", `v1/calls?${query({ status: "pending", sort: "due", limit: PAGE_CALLS, cursor })}`);
}

/** Calls that have ended, newest first. */
export function endedCalls(
  cursor: string | null,
  limit: number,
  wanted: { q: string | null; status: string },
): Promise<CallPage> {
  return request("GET", `v1/calls?${query({ limit, cursor, ...wanted })}`);
}

/** What happened to a call. */
export function trailOf(id: string): Promise<{ events: FeedEvent[] }> {
  return request("GET", `${pathOf(id)}/events`);
}

/** What the model gets of a call that came as another tool's. */
export function toldBy(
  dialect: string,
  id: string,
): Promise<{ tool_result: { text: string } | null; user_message: string | null }> {
  return request("GET", `v1/dialects/${encodeURIComponent(dialect)}/calls/${encodeURIComponent(id)}`);
}

export function readCall(id: string, withNodes = false): Promise<Call> {
  return request("GET", `${pathOf(id)}${withNodes ? "?nodes=1" : ""}`);
}

export function sync(after: string): Promise<{ events: FeedEvent[]; next: string; reset: boolean }> {
  return request("GET", `v1/sync?${query({ after })}`);
}

/** Takes the body as text: a retry sends the very same bytes. */
export function answerCall(id: string, body: string): Promise<Call> {
  return request("POST", `${pathOf(id)}/answer`, body);
}

/** Takes a held answer back. */
export function undoCall(id: string, answerId: string): Promise<Call> {
  return request("POST", `${pathOf(id)}/undo`, JSON.stringify({ answer_id: answerId }));
}

/** Says that this person is answering (`claim`), writing (`typing`), or no longer is (`release`). */
export function tellColleagues(id: string, what: "claim" | "typing" | "release"): Promise<Call> {
  return request("POST", `${pathOf(id)}/${what}`, "{}");
}

export interface Decline {
  hold_seconds?: number;
  answer_id: string;
  clarify: boolean;
  reason?: string;
  answers?: GivenAnswer[];
}

export function declineCall(id: string, decline: Decline): Promise<Call> {
  return request("POST", `${pathOf(id)}/decline`, toText(decline));
}

export function extendCall(id: string, seconds: number, answerId: string): Promise<Call> {
  return request("POST", `${pathOf(id)}/extend`, JSON.stringify({ seconds, answer_id: answerId }));
}

export function askCall(body: unknown): Promise<Call> {
  return request("POST", "v1/calls", JSON.stringify(body));
}

/** Makes an agent's token: its secret is in this reply alone. */
export async function makeToken(name: string): Promise<{ id: string; secret: string; madeAt: string }> {
  const made = await request<{ id: string; token: string; created_at: string }>(
    "POST",
    "v1/tokens",
    JSON.stringify({ name }),
  );
  return { id: made.id, secret: made.token, madeAt: made.created_at };
}

export interface Connections {
  seen: { id: string; at: string; user_agent: string }[];
  refused: { at: string; user_agent: string }[];
}

/** Who came with a token, and who was refused. */
export function connections(): Promise<Connections> {
  return request("GET", "v1/connections");
}

function pathOf(id: string): string {
  return `v1/calls/${encodeURIComponent(id)}`;
}

function query(members: Record<string, string | number | null>): string {
  const present = Object.entries(members).filter(([, value]) => value !== null);
  return new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
}
