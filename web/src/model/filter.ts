// What is looked for: words, and tokens such as `agent:billing`. Invariant: a token that is not known is a word, so
// nothing that is typed is silently dropped.

import type { Call } from "../wire/types";
import { agentOf, isUrgent, titleOf } from "./call";

export interface Filter {
  words: string[];
  agent: string[];
  host: string[];
  kind: string[];
  tag: string[];
  is: string[];
}

const IS = ["urgent", "claimed", "mine", "answered", "declined", "expired", "cancelled"];
const FIELDS = ["agent", "host", "kind", "tag", "is"] as const;

export function parseFilter(query: string): Filter {
  const filter: Filter = { words: [], agent: [], host: [], kind: [], tag: [], is: [] };
  for (const [part] of query.toLowerCase().matchAll(/[^\s"]*"[^"]*"?|\S+/g)) {
    const [, name, value] = /^(\w+):(.+)$/.exec(part) ?? [];
    const field = FIELDS.find((field) => field === name);
    const bare = (value ?? "").replaceAll('"', "");
    if (field && bare && (field !== "is" || IS.includes(bare))) filter[field].push(bare);
    else filter.words.push(part.replaceAll('"', ""));
  }
  return filter;
}

export function isEmpty(filter: Filter): boolean {
  return filter.words.length === 0 && FIELDS.every((field) => filter[field].length === 0);
}

/** Whether a call is what is looked for: every word and every token must fit. */
export function matches(call: Call, filter: Filter, myId: string | null): boolean {
  const has = (text: string | null, wanted: string[]) => {
    const folded = (text ?? "").toLowerCase();
    return wanted.every((one) => folded.includes(one));
  };
  return (
    has(agentOf(call), filter.agent) &&
    has(call.agent.host, filter.host) &&
    filter.kind.every((kind) => call.questions.some((question) => question.kind === kind)) &&
    filter.tag.every((tag) => call.tags.some((one) => one.toLowerCase() === tag)) &&
    filter.is.every((state) => isIn(call, state, myId)) &&
    has(filter.words.length > 0 ? textOf(call) : "", filter.words)
  );
}

function isIn(call: Call, state: string, myId: string | null): boolean {
  if (state === "urgent") return isUrgent(call);
  if (state === "claimed") return call.claim !== null;
  if (state === "mine") return myId !== null && [call.claim?.by.id, call.outcome?.by?.id].includes(myId);
  return call.status === state;
}

function textOf(call: Call): string {
  const questions = call.questions.flatMap((question) => [question.header ?? "", question.question]);
  return [titleOf(call), ...questions, call.context ?? "", call.tags.join(" "), agentOf(call)].join("\n");
}

/** The part that the hub can look for in what has ended; the rest is looked for here. */
export function forHub(filter: Filter): { q: string | null; status: string } {
  const status = filter.is.find((state) => ["answered", "declined", "expired", "cancelled"].includes(state));
  return { q: filter.words[0] ?? null, status: status ?? "settled" };
}
