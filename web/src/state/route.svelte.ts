// The address of what is on screen. Invariant: which list, which call and which of its tabs are in the URL (or in the
// history entry), so that reload, Back, Forward and a copied link all come back to it.

import { urlOf } from "../wire/api";

export type View = "inbox" | "history" | "connect";

const PATHS: Record<View, string> = { inbox: "./", history: "history", connect: "connect" };

export interface Place {
  view: View;
  callId: string | null;
  /** What is looked for in the list. */
  query: string;
}

interface EntryState {
  view?: View;
  query?: string;
}

function read(): Place {
  const base = new URL(document.baseURI).pathname;
  const path = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : location.pathname.slice(1);
  const entry = (history.state ?? {}) as EntryState;
  const call = /^a\/([^/]+)\/?$/.exec(path)?.[1];
  const query = new URLSearchParams(location.search).get("q") ?? entry.query ?? "";
  if (call) return { view: entry.view ?? "inbox", callId: decodeURIComponent(call), query };
  const named = (["history", "connect"] as const).find((view) => PATHS[view] === path.replace(/\/$/, ""));
  return { view: named ?? "inbox", callId: null, query };
}

class Route {
  place = $state.raw<Place>(read());
  /** Whether the person has moved since the page was loaded: only then may the page move the focus. */
  hasMoved = false;

  start(): void {
    addEventListener("popstate", () => this.#set(read()));
  }

  open(callId: string): void {
    if (this.place.callId === callId) return;
    this.#push(callPath(callId), { ...this.place, callId });
  }

  show(view: View): void {
    const query = view === this.place.view ? this.place.query : "";
    this.#push(listPath(view, query), { view, callId: null, query });
  }

  /** Looks for something else. Back removes it: while it is typed the address is one step, not one a letter. */
  find(query: string): void {
    const place = { ...this.place, query };
    const path = place.callId ? callPath(place.callId) : listPath(place.view, query);
    if (this.place.query === "") this.#push(path, place);
    else {
      history.replaceState(entryOf(place), "", urlOf(path));
      this.place = place;
    }
  }

  #push(path: string, place: Place): void {
    history.pushState(entryOf(place), "", urlOf(path));
    this.#set(place);
  }

  #set(place: Place): void {
    this.hasMoved = true;
    this.place = place;
  }
}

function entryOf(place: Place): EntryState {
  return { view: place.view, query: place.query };
}

function listPath(view: View, query: string): string {
  const path = PATHS[view];
  return query === "" ? path : `${path}?${new URLSearchParams({ q: query })}`;
}

export function callPath(id: string): string {
  return `a/${encodeURIComponent(id)}`;
}

export const route = new Route();
