// Finds characters that hide or turn text around, so that the page draws them as visible marks. Invariant: the pieces
// joined are the text; joiners that real scripts and emoji need stay invisible.

export interface Piece {
  text: string;
  /** The mark to draw in its place, or null for plain text. */
  mark: string | null;
}

const BLANKS_MAX = 40;
// biome-ignore format: one kind of character a line
const HIDDEN = new RegExp(
  [
    "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]", // control characters; tab and line ends are text
    "[\\u202a-\\u202e\\u2066-\\u2069]", // embeddings, overrides and isolates
    "[\\u00ad\\u200b\\u2060-\\u2064\\ufeff\\u115f\\u1160\\u3164\\uffa0]", // drawn as nothing
    "[\\u{e0001}-\\u{e007f}]+", // tags
    "[\\u200c\\u200d]", // joiners, looked at below
    `[ \\u00a0]{${BLANKS_MAX},}`, // pushes the rest out of sight
  ].join("|"),
  "gu",
);

const LATIN = /^[\p{ASCII}\p{Script=Latin}]$/u;

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const hidden = match[0];
    if (/^[\u200c\u200d]$/.test(hidden) && !isBetweenLatin(text, match.index)) continue;
    if (match.index > end) found.push({ text: text.slice(end, match.index), mark: null });
    found.push({ text: hidden, mark: nameOf(hidden) });
    end = match.index + hidden.length;
  }
  if (end < text.length) found.push({ text: text.slice(end), mark: null });
  return found;
}

export function hidesSomething(text: string): boolean {
  return pieces(text).some((piece) => piece.mark !== null);
}

function isBetweenLatin(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? " ";
  const after = [...text.slice(at + 1, at + 3)][0] ?? " ";
  return LATIN.test(before) && LATIN.test(after);
}

function nameOf(hidden: string): string {
  if (/^[ \u00a0]/.test(hidden)) return `${hidden.length} blanks`;
  const code = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code}`;
}
