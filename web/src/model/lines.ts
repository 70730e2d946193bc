// What differs between two texts, line by line. Invariant: every line of both is shown, in order.

export interface Line {
  sign: " " | "-" | "+";
  text: string;
}

/** Lines that both begin and end with stand once; what lies between is taken out and put in. */
export function changedLines(before: string, after: string): Line[] {
  const old = before.split("\n");
  const fresh = after.split("\n");
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start++;
  let end = 0;
  const room = Math.min(old.length, fresh.length) - start;
  while (end < room && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end++;
  const lines = (sign: Line["sign"], texts: string[]) => texts.map((text) => ({ sign, text }));
  return [
    ...lines(" ", old.slice(0, start)),
    ...lines("-", old.slice(start, old.length - end)),
    ...lines("+", fresh.slice(start, fresh.length - end)),
    ...lines(" ", old.slice(old.length - end)),
  ];
}
