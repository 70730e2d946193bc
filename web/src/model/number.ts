// Numbers as people write them where they live, and as JSON has them. Invariant: digits are moved, never calculated
// with, so none is lost; what could mean two numbers is neither.

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const GROUPED = /^\d{1,3}(_\d{2,3})*_\d{3}$/;

interface Signs {
  group: string;
  decimal: string;
  digits: string[];
}

const known = new Map<string, Signs>();

function signsOf(locale: string): Signs {
  const found = known.get(locale);
  if (found) return found;
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(1234567.8);
  const sign = (type: string, usual: string) => parts.find((part) => part.type === type)?.value ?? usual;
  const plain = new Intl.NumberFormat(locale, { useGrouping: false });
  const digits = Array.from({ length: 10 }, (_, digit) => plain.format(digit));
  const signs = { group: sign("group", ","), decimal: sign("decimal", "."), digits };
  known.set(locale, signs);
  return signs;
}

export function isDigits(text: string): boolean {
  return JSON_NUMBER.test(text);
}

/** What was typed as a JSON number, or null if it is none or could be two. */
export function digitsOf(typed: string, locale: string): string | null {
  const { group, decimal, digits } = signsOf(locale);
  let text = [...typed.trim()].map((one) => (digits.includes(one) ? String(digits.indexOf(one)) : one)).join("");
  text = text.replace(/^[\u2212\u2013]/, "-").replace(/^\+/, "");
  const sign = text.startsWith("-") ? "-" : "";
  const exponent = /[eE][+-]?\d+$/.exec(text)?.[0] ?? "";
  const body = text.slice(sign.length, text.length - exponent.length);
  const [whole = "", fraction, ...more] = body.split(decimal);
  // The mark that stands for a separator below must not have been typed.
  if (more.length > 0 || whole.includes("_")) return null;
  const marked = whole.replace(/[\u00a0\u202f ’']/g, (one) => (/\s/.test(group) || one === group ? "_" : one));
  const grouped = marked.replaceAll(group, "_");
  if (grouped.includes("_") && !GROUPED.test(grouped)) return null;
  const plain = grouped.replaceAll("_", "").replace(/^0+(?=\d)/, "") || (fraction ? "0" : "");
  const number = `${sign}${plain}${fraction ? `.${fraction}` : ""}${exponent}`;
  return isDigits(number) ? number : null;
}

/** A JSON number as it is written there, with all its digits. */
export function written(number: string, locale: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(number);
  if (!match) return number;
  const [, sign = "", whole = "", fraction] = match;
  const { decimal, digits } = signsOf(locale);
  const local = fraction?.replace(/\d/g, (digit) => digits[Number(digit)] ?? digit);
  return `${sign}${new Intl.NumberFormat(locale).format(BigInt(whole))}${local === undefined ? "" : decimal + local}`;
}
