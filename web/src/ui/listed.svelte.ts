// The rows of the list in their order, drawn or not. Invariant: what has the focus or is open stays drawn, wherever the
// list is scrolled to, so that keys go on from there.

import { tick } from "svelte";

class Listed {
  ids: readonly string[] = [];
  focused = $state.raw<string | null>(null);

  /** Draws the row, if it is not, and puts the focus there. */
  focus(id: string): void {
    this.focused = id;
    void tick().then(() => document.querySelector<HTMLElement>(`#list a[data-row="${CSS.escape(id)}"]`)?.focus());
  }
}

export const listed = new Listed();
