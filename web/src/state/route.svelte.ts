// The address of what is on screen. Invariant: which list, which call and which of its tabs are in the URL (or in the
// history entry), so that reload, Back, Forward and a copied link all come back to it.

import { urlOf } from "../wire/api";

export type View = "inbox" | "history";

export interface Place {
  view: View;
  callId: string | null;
}

interface EntryState {
  view?: View;
}

function read(): Place {
  const base = new URL(document.baseURI).pathname;
  const path = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : location.pathname.slice(1);
  const entry = (history.state ?? {}) as EntryState;
  const call = /^a\/([^/]+)\/?$/.exec(path)?.[1];
  if (call) return { view: entry.view ?? "inbox", callId: decodeURIComponent(call) };
  return { view: path.replace(/\/$/, "") === "history" ? "history" : "inbox", callId: null };
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
    this.#push(callPath(callId), { view: this.place.view, callId });
  }

  show(view: View): void {
    this.#push(view === "history" ? "history" : "", { view, callId: null });
  }

  #push(path: string, place: Place): void {
    history.pushState({ view: place.view } satisfies EntryState, "", urlOf(path));
    this.#set(place);
  }

  #set(place: Place): void {
    this.hasMoved = true;
    this.place = place;
  }
}

export function callPath(id: string): string {
  return `a/${encodeURIComponent(id)}`;
}

export const route = new Route();
