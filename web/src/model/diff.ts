// The lines of a unified diff. Invariant: nothing is parsed but the first characters of a line, so that any text is shown
// as it is.

export type DiffSign = "added" | "removed" | "place" | "";

export function isDiff(language: string): boolean {
  return /^(diff|patch|udiff)$/i.test(language.trim());
}

export function signOf(line: string): DiffSign {
  if (/^(\+\+\+|---|@@|diff |index )/.test(line)) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "";
}
