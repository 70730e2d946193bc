// Keeps the action bar above an on-screen keyboard. Invariant: `--keyboard` is what covers the layout's lower edge.

export function followKeyboardHeight(): void {
  const view = window.visualViewport;
  if (!view) return;
  const measure = () => {
    const covered = view.scale === 1 ? Math.max(0, window.innerHeight - view.height - view.offsetTop) : 0;
    document.documentElement.style.setProperty("--keyboard", `${Math.round(covered)}px`);
  };
  view.addEventListener("resize", measure);
  view.addEventListener("scroll", measure);
}
