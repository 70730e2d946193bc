// Helpers of the markdown nodes. Invariant: an address is followed only if its scheme is http, https or mailto.

import type { Node } from "../wire/types";

const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** Where a link leads, or null if it must not be followed. */
export function placeOf(href: string | undefined): { href: string; place: string } | null {
  if (!href || !URL.canParse(href)) return null;
  const url = new URL(href);
  if (!SCHEMES.has(url.protocol)) return null;
  return { href: url.href, place: url.protocol === "mailto:" ? url.pathname : url.host };
}

export function textOf(node: Node): string {
  return node.v ?? (node.c ?? []).map(textOf).join("");
}
