// Whether this page or the browser follows a link. Invariant: a click meant for a new tab or window is the browser's.

export function follows(event: MouseEvent): boolean {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}
