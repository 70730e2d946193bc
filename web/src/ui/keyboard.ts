// Hears keys for the whole page and hands the commands out. Invariant: commands that change or send something of a call
// wait for the input guard; Esc only ever moves the focus outwards.

import { type Command, commandOf, G_WINDOW_MS, isInputMethod, letter } from "../model/keys";
import { guard } from "../state/guard.svelte";
import { inbox } from "../state/inbox.svelte";
import { refresh } from "../state/page";
import { route } from "../state/route.svelte";
import { selection } from "../state/selection.svelte";
import { sender } from "../state/sending.svelte";
import { settings } from "../state/settings.svelte";
import { help } from "./help.svelte";
import { listed } from "./listed.svelte";
import { onScreen } from "./pane.svelte";

const HOVER_IGNORED_MS = 300;
const OWNS_ARROWS = "input[type=radio], [role=tab], select, [role=listbox]";
const TEXT_FIELD = "textarea, select, input:not([type=radio], [type=checkbox]), [contenteditable]";

let compositionEndedAt = Number.NEGATIVE_INFINITY;
let pressedGAt = Number.NEGATIVE_INFINITY;
let hoverTimer: ReturnType<typeof setTimeout> | undefined;

export function sinceComposition(): number {
  return performance.now() - compositionEndedAt;
}

export function listenToKeys(): () => void {
  const onCompositionEnd = () => {
    compositionEndedAt = performance.now();
  };
  addEventListener("compositionend", onCompositionEnd, true);
  addEventListener("keydown", onKeyDown);
  return () => {
    removeEventListener("compositionend", onCompositionEnd, true);
    removeEventListener("keydown", onKeyDown);
  };
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const target = event.target instanceof Element ? event.target : document.body;
  const afterG = performance.now() - pressedGAt < G_WINDOW_MS;
  const scope = {
    dialogOpen: document.querySelector("dialog[open]") !== null,
    inTextField: target.matches(TEXT_FIELD),
    ownsArrows: target.matches(OWNS_ARROWS),
    inList: target.closest("#list") !== null,
    singleKeys: settings.singleKeys,
    afterG,
    sinceComposition: sinceComposition(),
  };
  const command = commandOf(event, scope);
  pressedGAt = Number.NEGATIVE_INFINITY;
  if (command) {
    if (command.do === "escape" || command.do === "open" || run(command)) event.preventDefault();
    if (command.do === "escape") stepOut(scope.inTextField);
    if (command.do === "open") openFocused();
    return;
  }
  const startsG = letter(event) === "g" && !event.ctrlKey && !event.metaKey && !event.altKey && !scope.inTextField;
  if (startsG && !scope.dialogOpen && !isInputMethod(event, scope.sinceComposition)) pressedGAt = performance.now();
}

/** Whether the key was used. */
function run(command: Command): boolean {
  const pane = onScreen.pane;
  switch (command.do) {
    case "move":
      return move(command.to);
    case "take-in":
      inbox.adopt();
      void refresh();
      return true;
    case "help":
      help.open();
      return true;
    case "go-inbox":
      route.show("inbox");
      inbox.adopt();
      return true;
    case "go-connect":
      route.show("connect");
      return true;
    case "go-history":
      route.show("history");
      return true;
    case "next-question":
      pane?.goTo(pane.tab + 1);
      return pane !== null;
    case "previous-question":
      pane?.goTo(pane.tab - 1);
      return pane !== null;
    case "preview":
      pane?.previewByKey();
      return pane !== null;
    case "copy-link":
      pane?.copyLink();
      return pane !== null;
    case "select": {
      const row = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.row : undefined;
      const id = row ?? route.place.callId;
      if (id && inbox.calls.get(id)?.status === "pending") selection.toggle(id);
      return true;
    }
    case "search":
      document.getElementById("search")?.focus();
      return true;
    case "undo": {
      const undoable = sender.undoable();
      if (undoable) void sender.undo(undoable);
      return undoable !== null;
    }
    case "claim":
      pane?.claimByKey();
      return pane !== null;
    case "advance":
      // Sending asks the guard itself; a step to the next question needs none.
      pane?.advance();
      return pane !== null;
  }
  if (!pane) return false;
  if (!guard.admits()) return true;
  if (command.do === "choose") pane.chooseByKey(command.index);
  if (command.do === "own") pane.ownByKey();
  if (command.do === "note") pane.noteByKey();
  if (command.do === "extend") pane.extend();
  if (command.do === "approve" || command.do === "reject" || command.do === "edit") pane.decideByKey(command.do);
  return true;
}

function rowLinks(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>("#list a[data-row]")];
}

function move(to: "next" | "previous" | "first" | "last"): boolean {
  const { ids } = listed;
  const row = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.row : undefined;
  const focused = row === undefined ? -1 : ids.indexOf(row);
  const from = focused >= 0 ? focused : ids.indexOf(route.place.callId ?? "");
  const step = to === "next" ? 1 : -1;
  const at = to === "first" ? 0 : to === "last" ? ids.length - 1 : from < 0 ? 0 : from + step;
  const id = ids[Math.min(ids.length - 1, Math.max(0, at))];
  inbox.attention.lastKeyMoveAt = performance.now();
  ignoreHover();
  if (id !== undefined) listed.focus(id);
  return id !== undefined;
}

/** The pointer rests over some row while keys move: for a moment it must not look as if it chose. */
function ignoreHover(): void {
  document.documentElement.dataset.keys = "";
  clearTimeout(hoverTimer);
  hoverTimer = setTimeout(() => delete document.documentElement.dataset.keys, HOVER_IGNORED_MS);
}

function openFocused(): void {
  const id = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.row : undefined;
  if (id) route.open(id);
}

/** Field → call → list. Nothing is refused, withdrawn or emptied. */
function stepOut(fromField: boolean): void {
  if (fromField) {
    document.getElementById("call")?.focus();
    return;
  }
  const row = rowLinks().find((link) => link.dataset.row === route.place.callId && link.offsetParent !== null);
  if (row) row.focus();
  else if (route.place.callId) route.show(route.place.view);
}
