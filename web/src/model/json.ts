// JSON with the digits that were typed. Invariant: a number never passes through JavaScript's own, which would round it.

import type { Json } from "../wire/types";

/** JSON that is written as it stands: a number by its digits, or a part that is handed on unread. */
export class Raw {
  constructor(readonly text: string) {}
}

export type Value = Json | Raw | Value[] | { [name: string]: Value };

/** The compact text; members that are undefined are left out. */
export function toText(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(toText).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toText(member)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/** Whether a value is what the hub's reply says, as far as JavaScript can tell. */
export function isSame(mine: Value | undefined, theirs: Json): boolean {
  const plain: Json = mine === undefined ? null : JSON.parse(toText(mine));
  return JSON.stringify(plain) === JSON.stringify(theirs);
}

/** An object with its members in this order, whatever their names are. */
export function objectOf(members: (readonly [string, Value])[]): Raw {
  return new Raw(`{${members.map(([name, member]) => `${JSON.stringify(name)}:${toText(member)}`).join(",")}}`);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
