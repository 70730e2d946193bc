// Which command a key press means. Invariant: one owner per key; a dialog takes every key below it away, a text field
// leaves only Ctrl/Cmd+Enter and Esc, and a press that an input method owns means nothing.

export type Command =
  | { do: "choose"; index: number }
  | { do: "own" | "note" | "preview" | "extend" | "next-question" | "previous-question" }
  | { do: "approve" | "reject" | "edit" }
  | { do: "advance" }
  | { do: "move"; to: "next" | "previous" | "first" | "last" }
  | {
      do:
        | "open"
        | "take-in"
        | "help"
        | "escape"
        | "go-inbox"
        | "go-history"
        | "go-connect"
        | "copy-link"
        | "undo"
        | "claim"
        | "select"
        | "search";
    };

export interface Press {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  repeat: boolean;
  isComposing: boolean;
  keyCode: number;
}

export interface Scope {
  dialogOpen: boolean;
  inTextField: boolean;
  /** Focus is on a control that uses arrows, Home and End itself. */
  ownsArrows: boolean;
  inList: boolean;
  singleKeys: boolean;
  /** `g` was pressed just before. */
  afterG: boolean;
  /** Milliseconds since an input method finished a word. */
  sinceComposition: number;
}

/** Safari ends the composition first and sends the Enter that ended it afterwards. */
export const COMPOSITION_TAIL_MS = 50;
export const G_WINDOW_MS = 1500;

export function isInputMethod(press: Press, sinceComposition: number): boolean {
  return press.isComposing || press.keyCode === 229 || sinceComposition < COMPOSITION_TAIL_MS;
}

export function commandOf(press: Press, scope: Scope): Command | null {
  if (scope.dialogOpen || isInputMethod(press, scope.sinceComposition)) return null;
  const withCommand = press.ctrlKey || press.metaKey;
  if (withCommand && !press.altKey && press.key === "Enter") return press.repeat ? null : { do: "advance" };
  if (withCommand || press.altKey) return null;
  if (press.key === "Escape") return press.repeat ? null : { do: "escape" };
  if (scope.inTextField) return null;
  const move = movement(press, scope);
  if (move) return move;
  if (press.repeat || !scope.singleKeys) return null;
  return scope.afterG ? goTo(letter(press)) : single(press);
}

function movement(press: Press, scope: Scope): Command | null {
  if (scope.inList) {
    if (press.key === "ArrowDown") return { do: "move", to: "next" };
    if (press.key === "ArrowUp") return { do: "move", to: "previous" };
    if (press.key === "Home") return { do: "move", to: "first" };
    if (press.key === "End") return { do: "move", to: "last" };
  }
  if (!scope.singleKeys || scope.afterG || press.shiftKey) return null;
  if (letter(press) === "j") return { do: "move", to: "next" };
  if (letter(press) === "k") return { do: "move", to: "previous" };
  return null;
}

function single(press: Press): Command | null {
  const digit = digitOf(press);
  if (digit === 0) return { do: "own" };
  if (digit !== null) return { do: "choose", index: digit - 1 };
  switch (press.key) {
    case "/":
      return { do: "search" };
    case "?":
      return { do: "help" };
    case "+":
      return { do: "extend" };
    case ".":
      return { do: "take-in" };
    case "[":
      return { do: "previous-question" };
    case "]":
      return { do: "next-question" };
  }
  // Where a layout has no brackets without Alt, the keys at their place do the same.
  if (press.code === "BracketLeft") return { do: "previous-question" };
  if (press.code === "BracketRight") return { do: "next-question" };
  if (press.shiftKey) return null;
  switch (letter(press)) {
    case "a":
      return { do: "approve" };
    case "r":
      return { do: "reject" };
    case "e":
      return { do: "edit" };
    case "x":
      return { do: "select" };
    case "u":
      return { do: "undo" };
    case "c":
      return { do: "claim" };
    case "n":
      return { do: "note" };
    case "v":
      return { do: "preview" };
    case "o":
      return { do: "open" };
    case "y":
      return { do: "copy-link" };
  }
  return null;
}

function goTo(key: string): Command | null {
  if (key === "i") return { do: "go-inbox" };
  if (key === "c") return { do: "go-connect" };
  return key === "h" ? { do: "go-history" } : null;
}

/** Digits by place, so that layouts whose digits need Shift have them too. */
function digitOf(press: Press): number | null {
  const match = /^(?:Digit|Numpad)(\d)$/.exec(press.code);
  if (!match || press.shiftKey) return /^\d$/.test(press.key) ? Number(press.key) : null;
  return Number(match[1]);
}

/** A letter by what is typed, else by place: Cyrillic and Arabic layouts type no Latin letter. */
export function letter(press: Press): string {
  if (/^[a-z]$/i.test(press.key)) return press.key.toLowerCase();
  return /^Key([A-Z])$/.exec(press.code)?.[1]?.toLowerCase() ?? "";
}
