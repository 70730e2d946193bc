// Calls that are chosen to be dealt with together. Invariant: ids, never places; what has ended is not among them.

import { SvelteSet } from "svelte/reactivity";

class Selection {
  readonly ids = new SvelteSet<string>();

  toggle(id: string): void {
    if (!this.ids.delete(id)) this.ids.add(id);
  }
}

export const selection = new Selection();
